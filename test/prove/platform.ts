import type { Arrival } from "./findings.ts";
import type { Call, ProvingPlatform } from "./proving-platform.ts";

interface Post extends Arrival {
  id: number;
  rkey: string;
  visibleAt: number;
  value: unknown;
}

/** Ids of the posts that a post answers. */
interface ReplyIds {
  root: string;
  parent: string;
}

const SESSION_SECONDS = 240;
/** Bluesky's own: an old refresh token keeps working for this long. */
const GRACE_MS = 2 * 60 * 60 * 1_000;
/** How long this platform works on an accepted post. */
const PROCESSING_MS = 20_000;

const json = (body: unknown, status = 200) => Response.json(body, { status });
const encode = (value: unknown) => btoa(JSON.stringify(value)).replaceAll("=", "");

/**
 * A platform that takes every accepted submit for a new post, even under a key that it has seen: the
 * natural idempotency of a real one would hide our faults. Speaks Bluesky's protocol, and one in steps
 * with create semantics.
 */
export class StrictPlatform implements ProvingPlatform {
  private readonly posts: Post[] = [];
  refreshes = 0;
  readonly lateListings = 0;
  private readonly now: () => number;
  private readonly supersededAt = new Map<string, number>();
  private sessions = 0;

  private readonly graceMs: number;

  /** @param refreshesOnce a refresh token dies with its use; else it keeps working for a while */
  constructor(now: () => number, refreshesOnce: boolean) {
    this.now = now;
    this.graceMs = refreshesOnce ? -1 : GRACE_MS;
  }

  account(name: string): object {
    const { accessJwt, refreshJwt } = this.login(name);
    return {
      platform: "bluesky",
      service: "https://pds.example.com",
      credentials: { accessToken: accessJwt, refreshToken: refreshJwt },
    };
  }

  fill(fields: FormData, text: string): void {
    fields.set("description", text);
  }

  async arrivals(): Promise<Arrival[]> {
    return this.posts.map(({ text, at, key = "", under }) => ({
      text,
      at,
      key,
      ...(under ? { under } : {}),
    }));
  }

  private login(name: string) {
    const did = `did:plc:${name}`;
    const exp = Math.floor(this.now() / 1_000) + SESSION_SECONDS;
    const n = ++this.sessions;
    return {
      did,
      handle: `${name}.example.com`,
      accessJwt: `head.${encode({ exp, sub: did, n })}.sig`,
      refreshJwt: `refresh.${encode({ sub: did, n })}.sig`,
      active: true,
    };
  }

  async read(request: Request): Promise<Call> {
    // Records are public, so they are read without a token.
    const refuseToken = () =>
      request.headers.has("authorization")
        ? json({ error: "ExpiredToken" }, 400)
        : json({ error: "Unavailable" }, 503);
    return { ...(await this.understand(request)), refuseToken };
  }

  private async understand(request: Request): Promise<Omit<Call, "refuseToken">> {
    const url = new URL(request.url);
    const method = url.pathname.split("/").at(-1)?.replace("com.atproto.", "");
    const bearer = request.headers.get("authorization")?.replace("Bearer ", "") ?? "";
    const key = url.searchParams.get("rkey") ?? url.searchParams.get("key") ?? "";
    const body = request.method === "POST" ? await readBody(request) : {};
    type Answer = (acceptedAt: number, visibleAt: number) => Response;
    const guarded = (answer: Answer): Answer =>
      this.isGood(bearer) ? answer : () => json({ error: "ExpiredToken" }, 400);
    switch (method) {
      case "server.getSession":
        return { kind: "read", text: null, answer: () => json(this.sessionOf(bearer)) };
      case "server.refreshSession":
        return { kind: "refresh", text: null, answer: () => this.refresh(bearer) };
      case "repo.putRecord":
        return {
          kind: "submit",
          text: body.record?.text ?? "",
          answer: guarded((acceptedAt, visibleAt) => {
            const { rkey = "", record } = body;
            const reply = record?.reply;
            this.accept(record?.text ?? "", { rkey, key: rkey, value: record }, acceptedAt, {
              visibleAt,
              replyTo: reply && { root: keyIn(reply.root), parent: keyIn(reply.parent) },
            });
            return json({ uri: `at://did/app.bsky.feed.post/${rkey}`, cid: "bafy" });
          }),
        };
      case "repo.uploadBlob":
        return { kind: "step", text: null, answer: guarded(() => json({ blob: BLOB })) };
      case "repo.getRecord":
        return {
          kind: "look-up",
          text: this.find(key)?.text ?? null,
          answer: () => {
            const found = this.find(key);
            if (!found) return json({ error: "RecordNotFound" }, 400);
            const uri = `at://did/app.bsky.feed.post/${key}`;
            return json({ uri, cid: "bafy", value: found.value });
          },
        };
      case "publish":
        return {
          kind: "submit",
          text: body.text ?? "",
          answer: guarded((acceptedAt, visibleAt) => {
            const { text = "", key: rkey = "", replyTo } = body;
            const id = this.posts.length + 1;
            const place = { visibleAt, replyTo };
            this.accept(text, { rkey, key: String(id), value: null }, acceptedAt, place);
            return json({ id, isDone: id % 2 === 0 });
          }),
        };
      case "find":
        return {
          kind: "look-up",
          text: this.find(key)?.text ?? null,
          answer: guarded(() => json({ id: this.find(key)?.id ?? null })),
        };
      case "status": {
        const post = this.posts.find(({ id }) => id === Number(key));
        const isDone = post !== undefined && this.now() >= post.at + PROCESSING_MS;
        return {
          kind: "status",
          text: post?.text ?? null,
          answer: guarded(() => json({ isDone })),
        };
      }
      case "step":
        return { kind: "step", text: body.text ?? null, answer: guarded(() => json({})) };
      default:
        throw new Error(`The platform does not know ${request.method} ${request.url}.`);
    }
  }

  private accept(
    text: string,
    post: Pick<Post, "rkey" | "value"> & { key: string },
    at: number,
    { visibleAt, replyTo }: { visibleAt: number; replyTo: ReplyIds | undefined },
  ): void {
    const textOf = (id: string) => this.posts.find(({ key }) => key === id)?.text ?? id;
    const under = replyTo && { parent: textOf(replyTo.parent), root: textOf(replyTo.root) };
    const id = this.posts.length + 1;
    this.posts.push({ ...post, id, text, at, visibleAt, ...(under ? { under } : {}) });
  }

  private find(rkey: string): Post | undefined {
    return this.posts.find((post) => post.rkey === rkey && post.visibleAt <= this.now());
  }

  private sessionOf(token: string): { did: string; handle: string; active: true } {
    const did = String(claimsOf(token).sub);
    return { did, handle: `${did.split(":").at(-1)}.example.com`, active: true };
  }

  private isGood(token: string): boolean {
    return Number(claimsOf(token).exp ?? 0) * 1_000 > this.now();
  }

  private refresh(token: string): Response {
    const superseded = this.supersededAt.get(token);
    if (superseded !== undefined && this.now() - superseded > this.graceMs) {
      return json({ error: "ExpiredToken" }, 400);
    }
    this.supersededAt.set(token, superseded ?? this.now());
    this.refreshes++;
    return json(this.login(String(claimsOf(token).sub).split(":").at(-1) ?? ""));
  }
}

interface Body {
  rkey?: string;
  record?: { text?: string; reply?: { root: { uri: string }; parent: { uri: string } } };
  text?: string;
  key?: string;
  replyTo?: ReplyIds;
}

/** A file that a server of Bluesky has taken. */
export const BLOB = {
  $type: "blob",
  ref: { $link: "bafkreibme22gw2h7y2h7tg2fhqotaqjucnbc24deqo72b6mkl2egezxhvy" },
  mimeType: "image/jpeg",
  size: 1,
};

export const keyIn = ({ uri }: { uri: string }): string => uri.split("/").at(-1) ?? uri;

async function readBody(request: Request): Promise<Body> {
  if (request.url.endsWith("uploadBlob")) return {};
  const text = await request.text();
  return text ? (JSON.parse(text) as Body) : {};
}

function claimsOf(token: string): Record<string, unknown> {
  try {
    return JSON.parse(atob(token.split(".")[1] ?? "")) as Record<string, unknown>;
  } catch {
    return {};
  }
}
