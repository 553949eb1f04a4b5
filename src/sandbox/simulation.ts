import { type ByteRange, parseByteRange } from "../core/byte-range.ts";
import { codesTable } from "./kit/codes.ts";
import type { FeedTeam } from "./kit/feed-team.ts";
import { loginsTable } from "./kit/logins.ts";
import { MEDIA_TABLES } from "./kit/media-store.ts";
import type { Simulator } from "./kit/simulator.ts";
import { readCall } from "./kit/state-call.ts";
import {
  comments,
  type FeedFilter,
  type FeedPost,
  postMedia,
  posts,
  replies,
  SandboxStore,
  steerings,
} from "./kit/store.ts";
import { findSimulated, type SimulatedPlatform, simulatedOf } from "./registry.ts";
import type { Arrival, Delivery, Receiver, ReceiverAnswer, WebhookInbox } from "./webhook/inbox.ts";

/** `body`: null for a range past the end. */
export interface FeedFile {
  mime: string;
  sizeBytes: number;
  range: ByteRange | null;
  body: ReadableStream<Uint8Array> | null;
}

export class Simulation {
  readonly #storage: DurableObjectStorage;
  readonly #store: SandboxStore;
  readonly #opened = new Set<Simulator>();
  #inbox: WebhookInbox | null = null;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#store = new SandboxStore(storage.sql);
    for (const { schema } of [
      ...MEDIA_TABLES,
      posts,
      postMedia,
      replies,
      comments,
      steerings,
      loginsTable,
      codesTable,
    ]) {
      storage.sql.exec(schema);
    }
  }

  async #open(simulated: SimulatedPlatform): Promise<Simulator> {
    const simulator = await simulated.load();
    if (simulator.schema && !this.#opened.has(simulator)) {
      this.#storage.sql.exec(simulator.schema);
    }
    this.#opened.add(simulator);
    return simulator;
  }

  async fetch(request: Request): Promise<Response> {
    const call = readCall(request);
    const simulated = findSimulated(call.url, call.origin.platform ?? null);
    if (!simulated) return new Response("No simulated platform answers here.", { status: 404 });
    return (await this.#open(simulated)).handle(call, this.#store);
  }

  listPosts(filter: FeedFilter): FeedPost[] {
    return this.#store.listPosts(filter);
  }

  /** Simulates a post from the platform's own app, like the account's last one. False without posts. */
  async postByHand(accountId: string, text: string): Promise<boolean> {
    const last = this.#store.lastPost(accountId);
    const simulated = last && simulatedOf(last.platform);
    if (!simulated) return false;
    const origin = { teamId: last.team_id, accountId, uploadId: null };
    const { postByHand } = await this.#open(simulated);
    const made = await postByHand?.({ origin, store: this.#store }, last, text);
    if (!made) return false;
    const { platform, author } = last;
    this.#store.savePost(origin, { fields: {}, ...made, platform, author, text, media: [] });
    return true;
  }

  readMedia(id: number, teamId: FeedTeam, rangeHeader?: string): FeedFile | null {
    const media = this.#store.media.findById(id, teamId);
    if (!media) return null;
    const { mime, sizeBytes } = media;
    const range = parseByteRange(rangeHeader, sizeBytes);
    if (range === "unsatisfiable") return { mime, sizeBytes, range: null, body: null };
    return { mime, sizeBytes, range, body: this.#store.media.stream(id, range) };
  }

  /** `all` deletes received webhooks too. Connected accounts stay. */
  async reset(teamId: FeedTeam): Promise<void> {
    this.#storage.transactionSync(() => this.#store.reset(teamId));
    if (teamId === "all") (await this.#openInbox()).clear();
  }

  async #openInbox(): Promise<WebhookInbox> {
    const { WebhookInbox } = await import("./webhook/inbox.ts");
    this.#inbox ??= new WebhookInbox(this.#storage.sql);
    return this.#inbox;
  }

  async takeWebhook(delivery: Delivery, now: Date): Promise<ReceiverAnswer> {
    return (await this.#openInbox()).take(delivery, now);
  }

  async readReceiver(): Promise<{ receiver: Receiver; arrivals: Arrival[] }> {
    const inbox = await this.#openInbox();
    return { receiver: inbox.receiver, arrivals: inbox.list() };
  }

  async changeReceiver(receiver: Receiver): Promise<void> {
    (await this.#openInbox()).change(receiver);
  }
}
