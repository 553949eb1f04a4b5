import { moveClock } from "../../src/core/clock.ts";
import { withOrigin } from "../../src/sandbox/kit/state-call.ts";
import type { SandboxState } from "../../src/sandbox/state.ts";
import { arrivalsIn } from "./feed.ts";
import { type Arrival, textIn } from "./findings.ts";
import type { Protocol, Seen } from "./protocol.ts";
import type { Call, ProvingPlatform } from "./proving-platform.ts";
import { TEAM_ID } from "./team.ts";
import type { Timetable } from "./timetable.ts";

const ORIGIN = { teamId: TEAM_ID, accountId: null, uploadId: null };

/**
 * One of the sandbox's platforms in the moved time of a world. A submit that reaches it a second time
 * counts as a second post even where the platform itself would refuse it: that would hide our fault.
 */
export class SimulatedPlatform implements ProvingPlatform {
  lateListings = 0;
  private readonly protocol: Protocol;
  private readonly sandbox: DurableObjectStub<SandboxState>;
  private readonly time: Timetable;
  private readonly run: string;
  private readonly accepted = new Set<string>();
  private readonly repeated: Arrival[] = [];
  /** Until when an account's listings do not show everything, by its token. */
  private readonly hiddenUntil = new Map<string, number>();

  constructor(
    protocol: Protocol,
    sandbox: DurableObjectStub<SandboxState>,
    time: Timetable,
    run: string,
  ) {
    this.protocol = protocol;
    this.sandbox = sandbox;
    this.time = time;
    this.run = run;
  }

  async account(name: string): Promise<object> {
    const { platform, connection, login, service } = this.protocol;
    const mine = this.nameOf(name);
    if (login) return { platform, ...(await login(mine)) };
    return {
      platform,
      ...(await connection?.(mine)),
      ...(service ? { service } : {}),
      credentials: {
        accessToken: `sandbox.${platform}.${mine}`,
        refreshToken: `sandbox-refresh.${platform}.${mine}`,
      },
    };
  }

  async fill(fields: FormData, text: string, i: number, account: string): Promise<void> {
    fields.set(this.protocol.textField, text);
    await this.protocol.fill(fields, i, this.nameOf(account));
  }

  /** The sandbox outlasts a world, so that its accounts have names of their own. */
  private nameOf = (account: string): string => `${account}-${this.run}`;

  async read(request: Request): Promise<Call> {
    // A body of no length is still a body: what has none goes out without a Content-Length.
    const hasBody = request.body !== null;
    const bytes = await request.arrayBuffer();
    const again = () =>
      new Request(request.url, {
        method: request.method,
        headers: request.headers,
        ...(hasBody ? { body: bytes } : {}),
      });
    const seen: Seen = {
      method: request.method,
      url: new URL(request.url),
      headers: request.headers,
      body: new TextDecoder().decode(bytes),
    };
    const kind = this.protocol.kindOf(seen);
    const token = request.headers.get("authorization") ?? "";
    return {
      kind,
      text: this.protocol.keyOf(seen) ?? textIn(seen.body),
      answer: (acceptedAt, visibleAt) => {
        if (kind === "look-up" && (this.hiddenUntil.get(token) ?? 0) > this.time.now) {
          this.lateListings++;
          return new Response("{}", { status: 503 });
        }
        if (kind !== "submit") return this.forward(again());
        this.hiddenUntil.set(token, Math.max(this.hiddenUntil.get(token) ?? 0, visibleAt));
        if (acceptedAt <= this.time.now) return this.submit(seen, again());
        this.time.at(acceptedAt, "late", () => {
          this.time.begin();
          void this.submit(seen, again()).finally(() => this.time.end());
        });
        return new Response("{}");
      },
      refuseToken: () => {
        if (!token) return new Response("{}", { status: 503 });
        const stale = again();
        stale.headers.set("authorization", token.replace(/\S+$/, "an-ended-token"));
        return this.forward(stale);
      },
    };
  }

  private async submit(seen: Seen, request: Request): Promise<Response> {
    const key = this.protocol.keyOf(seen);
    const reply = await this.forward(request);
    if (key === null) return reply;
    if (this.accepted.has(key)) this.repeated.push({ text: `submit of ${key}`, at: this.time.now });
    else if (reply.ok) this.accepted.add(key);
    return reply;
  }

  private async forward(request: Request): Promise<Response> {
    moveClock((this.time.now - Date.now()) / 1_000);
    const reply = await this.sandbox.fetch(withOrigin(request, ORIGIN));
    const body = await reply.arrayBuffer();
    return new Response(body.byteLength > 0 ? body : null, reply);
  }

  async arrivals(): Promise<Arrival[]> {
    const posts = await this.sandbox.listPosts({ teamId: "all", platform: this.protocol.platform });
    return [...arrivalsIn(posts), ...this.repeated];
  }
}
