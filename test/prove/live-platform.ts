import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../src/cli/random.ts";
import type { Arrival } from "./findings.ts";
import { BLOB, keyIn } from "./platform.ts";

const uriOf = (rkey: string): string => `at://x/app.bsky.feed.post/${rkey}`;

const LATE_MS = 250;
const REPLY_MS = 40;

const FEED_PAGE = 50;
const RECORDS_PAGE = 100;

interface Stored {
  repo: string;
  rkey: string;
  record: {
    text: string;
    createdAt: string;
    reply?: { root: { uri: string }; parent: { uri: string } };
  };
}

/**
 * An account's own server on loopback, in the harness's process, so that it survives every kill. Each
 * accepted write counts as a post of its own.
 */
export class LivePlatform {
  readonly arrivals: Arrival[] = [];
  readonly faults: Record<string, number> = {};
  isFaulty = true;
  /** The longest time from a broken connection to the acceptance of what came over it. Moved time would pass it by. */
  lateMs = LATE_MS;
  /** Every call is answered 503. */
  isDown = false;
  private readonly records = new Map<string, Stored>();
  private readonly byRepo = new Map<string, Stored[]>();
  private readonly random: Random;
  private pending = 0;
  private readonly server = createServer((request, response) => {
    this.pending++;
    this.handle(request, response)
      .catch(() => response.destroy())
      .finally(() => {
        this.pending--;
      });
  });

  constructor(random: Random) {
    this.random = random;
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  /** Nothing is on its way any more: what was sent before a kill has been taken or not. */
  async rest(): Promise<void> {
    do await sleep(REPLY_MS);
    while (this.pending > 0);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    // A caller that is killed while it sends has sent nothing.
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? "", "http://127.0.0.1");
    const reply = (status: number, body: unknown) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    if (this.isDown) return reply(503, { error: "Unavailable" });
    switch (url.pathname.split(".").at(-1)) {
      case "getSession": {
        const name = request.headers.authorization?.replace("Bearer ", "") ?? "nobody";
        return reply(200, { did: `did:plc:${name}`, handle: `${name}.example.com`, active: true });
      }
      case "getProfile": {
        const did = url.searchParams.get("actor");
        return reply(200, { did, handle: "x.example.com", followersCount: 10, postsCount: 1 });
      }
      case "listRecords": {
        const posts = this.byRepo.get(url.searchParams.get("repo") ?? "") ?? [];
        const sorted = posts.toSorted((a, b) => (a.rkey < b.rkey ? 1 : -1));
        const records = sorted.map(({ rkey, record }) => ({ uri: uriOf(rkey), value: record }));
        return reply(200, { records: records.slice(0, RECORDS_PAGE) });
      }
      case "getAuthorFeed":
        return reply(200, { feed: this.feedOf(url.searchParams.get("actor") ?? "") });
      case "uploadBlob":
        return reply(200, { blob: BLOB });
      case "putRecord": {
        const post = JSON.parse(Buffer.concat(chunks).toString()) as Stored;
        return this.put(post, reply, response);
      }
      case "getRecord": {
        await sleep(this.random.between(0, REPLY_MS));
        if (this.isFaulty && this.random.chance(0.1)) {
          this.count("look-up: 5xx");
          return reply(503, { error: "Unavailable" });
        }
        const found = this.records.get(url.searchParams.get("rkey") ?? "");
        if (!found) return reply(400, { error: "RecordNotFound" });
        return reply(200, { uri: uriOf(found.rkey), cid: "bafy", value: found.record });
      }
      default:
        return reply(501, { error: "MethodNotImplemented" });
    }
  }

  private async put(
    post: Stored,
    reply: (status: number, body: unknown) => void,
    response: ServerResponse,
  ): Promise<void> {
    const roll = this.isFaulty ? this.random.next() : 1;
    await sleep(this.random.between(0, REPLY_MS));
    if (roll < 0.1) {
      this.count("submit: 5xx before");
      return reply(503, { error: "Unavailable" });
    }
    if (roll < 0.15) {
      this.count("submit: late acceptance");
      response.destroy();
      await sleep(this.random.between(0, this.lateMs));
      return this.accept(post);
    }
    this.accept(post);
    await sleep(this.random.between(0, REPLY_MS));
    if (roll < 0.3) {
      this.count("submit: reply dropped");
      response.destroy();
      return;
    }
    if (roll < 0.35) {
      this.count("submit: 5xx after");
      return reply(500, { error: "Crashed" });
    }
    reply(200, { uri: uriOf(post.rkey), cid: "bafy" });
  }

  private feedOf(repo: string) {
    const posts = this.byRepo.get(repo) ?? [];
    return posts
      .slice(-FEED_PAGE)
      .reverse()
      .map(({ rkey, record }) => ({
        post: { uri: uriOf(rkey), author: { did: repo }, record, likeCount: 1 },
      }));
  }

  private accept(post: Stored): void {
    const { text, reply } = post.record;
    const textOf = (post: { uri: string }) =>
      this.records.get(keyIn(post))?.record.text ?? post.uri;
    const under = reply && { parent: textOf(reply.parent), root: textOf(reply.root) };
    this.arrivals.push({ text, at: Date.now(), key: post.rkey, ...(under ? { under } : {}) });
    this.records.set(post.rkey, post);
    this.byRepo.set(post.repo, [...(this.byRepo.get(post.repo) ?? []), post]);
  }

  private count(fault: string): void {
    this.faults[fault] = (this.faults[fault] ?? 0) + 1;
  }
}
