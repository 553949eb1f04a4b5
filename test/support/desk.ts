import { env } from "cloudflare:workers";
import { FAILURES } from "../../src/core/failures.ts";
import { emit } from "../../src/features/events/repo.ts";
import { ALWAYS_NEW } from "../../src/features/idempotency/repo.ts";
import { createMember, createToken, harnessWith, joinTeam, type Member } from "./harness.ts";
import { beginLife, type Columns, type Life } from "./life.ts";
import { createPushService } from "./push-service.ts";

export const FROM = "akimbo@example.com";
export const ORIGIN = "https://akimbo.test";
export const CHAT_URL = "https://chat.example/services/T0/B0/secret-of-the-chat";

interface Mail {
  to: string;
  subject: string;
  text: string;
}

interface Posted {
  url: string;
  headers: Headers;
  bytes: Uint8Array<ArrayBuffer>;
  redirect: string;
}

type Reply = () => Response | Promise<Response>;
type Decision =
  | "upload.approved"
  | "upload.changes_requested"
  | "upload.failed"
  | "upload.cancelled";

/** A team of a post's author and of others, the mails that go out, and the receivers of browsers and chats. */
export class Desk {
  readonly mails: Mail[] = [];
  readonly posts: Posted[] = [];
  /** Used up first. */
  replies: Reply[] = [];
  reply: Reply = () => new Response("ok");
  readonly life: Life;

  private constructor(life: Life) {
    this.life = life;
    const { harness } = life;
    harness.deps.email = {
      send: async (mail: Mail) => void this.mails.push(mail),
    } as never;
    harness.network = async (input, init) => {
      const request = new Request(input, init);
      const { url, headers, redirect } = request;
      const bytes = new Uint8Array(await request.arrayBuffer());
      this.posts.push({ url, headers, bytes, redirect });
      return (this.replies.shift() ?? this.reply)();
    };
  }

  static async open(): Promise<Desk> {
    await env.DB.exec("DELETE FROM notices; DELETE FROM notice_targets;");
    return new Desk(await beginLife(harnessWith({ emailFrom: FROM, publicUrl: ORIGIN })));
  }

  get harness() {
    return this.life.harness;
  }

  get owner(): Member {
    return this.life.member;
  }

  /** Somebody else of the team. */
  async join(role: "ADMIN" | "MEMBER" = "MEMBER"): Promise<Member> {
    const { userId, teamId } = await createMember();
    await joinTeam(this.owner.teamId, userId, role);
    const token = await createToken(userId, { teamId: this.owner.teamId });
    return { userId, teamId, token };
  }

  async emailOf({ userId }: { userId: number }): Promise<string> {
    const row = env.DB.prepare("SELECT email FROM users WHERE id = ?").bind(userId);
    return String(await row.first("email"));
  }

  post(columns: Columns = {}): Promise<number> {
    return this.life.insert({
      ...{
        status: "draft",
        title: null,
        description: "Spring sale",
        origin: "https://old.example",
      },
      ...columns,
    });
  }

  /** An event of a post, as whatever changes its state leaves it. */
  async tell(
    uploadId: number,
    name: Decision,
    { by = null, ...data }: { by?: number | null; [field: string]: unknown } = {},
  ): Promise<void> {
    const usual = {
      "upload.approved": { reviewedBy: "client", scheduledFor: null },
      "upload.changes_requested": { reviewedBy: "client", comment: "Please change the tag." },
      "upload.cancelled": { accountId: this.life.accountId, scheduledFor: null },
      "upload.failed": {
        ...{ accountId: this.life.accountId, status: "failed" },
        ...{
          errorMessage: "The platform refused the post.",
          failure: { code: "unknown", ...FAILURES.unknown },
        },
      },
    }[name];
    const event = {
      ...{ team: this.owner.teamId, name, by },
      data: { uploadId, platform: "bluesky", ...usual, ...data },
    };
    await this.harness.deps.db.run([emit(this.harness.deps, event as never, ALWAYS_NEW)]);
  }

  /** Sets somebody's own settings. */
  async set(json: object, { token }: { token: string } = this.owner): Promise<void> {
    const { status, body } = await this.harness.call("PATCH", "/settings", { token, json });
    if (status !== 200) throw new Error(JSON.stringify(body));
  }

  /** Subscribes a browser of somebody's. */
  async subscribe({ token }: { token: string } = this.owner, endpoint?: string) {
    const service = await createPushService();
    const url = endpoint ?? `https://push.example/${crypto.randomUUID()}`;
    const json = { endpoint: url, keys: service.keys };
    const { status, body } = await this.harness.call("POST", "/settings/push", { token, json });
    if (status !== 200) throw new Error(JSON.stringify(body));
    return { ...service, endpoint: url, id: body.data.id as number };
  }

  async settings({ token }: { token: string } = this.owner) {
    return (await this.harness.call("GET", "/settings", { token })).body.data;
  }

  /** Texts that chats were sent. */
  chats(): { url: string; text: string }[] {
    return this.posts
      .filter(({ headers }) => headers.get("content-type") === "application/json")
      .map(({ url, bytes }) => ({ url, text: JSON.parse(new TextDecoder().decode(bytes)).text }));
  }

  async waiting(): Promise<number> {
    return Number(await env.DB.prepare("SELECT COUNT(*) AS n FROM notices").first("n"));
  }

  /** Ticks each minute for so long. */
  async pass(minutes: number): Promise<void> {
    for (let i = 0; i < minutes; i++) {
      this.harness.advance(60);
      await this.harness.tick();
      await this.harness.deliverNotices();
    }
  }
}
