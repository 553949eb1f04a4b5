import { DurableObject } from "cloudflare:workers";
import type { Env } from "../deps.ts";
import { MEDIA_SCHEMA } from "./media-store.ts";
import { findSimulator, SIMULATORS } from "./registry.ts";
import { readCall } from "./simulator.ts";
import { type FeedFilter, type FeedPost, POSTS_SCHEMA, SandboxStore } from "./store.ts";

/** The simulated platforms: what they hold, and the feed of it. One instance serves them all. */
export class SandboxState extends DurableObject<Env> {
  readonly #store: SandboxStore;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#store = new SandboxStore(ctx.storage.sql);
    for (const schema of [
      MEDIA_SCHEMA,
      POSTS_SCHEMA,
      ...SIMULATORS.map((simulator) => simulator.schema),
    ]) {
      ctx.storage.sql.exec(schema);
    }
  }

  /** A call to a simulated platform, as `createSandboxFetch` sends it. */
  override async fetch(request: Request): Promise<Response> {
    const call = readCall(request);
    const simulator = findSimulator(call.url);
    if (!simulator) return new Response("No simulated platform answers here.", { status: 404 });
    return simulator.handle(call, this.#store);
  }

  /** Newest first; without a filter, everything. */
  listPosts(filter: FeedFilter = {}): FeedPost[] {
    return this.#store.listPosts(filter);
  }

  /** A file of the feed, or null; `teamId` null: whosever it is. */
  readMedia(
    id: number,
    teamId: number | null = null,
  ): { mime: string; sizeBytes: number; body: ReadableStream<Uint8Array> } | null {
    const media = this.#store.media.findById(id, teamId);
    if (!media) return null;
    return { mime: media.mime, sizeBytes: media.sizeBytes, body: this.#store.media.stream(id) };
  }

  /** Empties the feed of a team, or of all; connected accounts go on working. */
  reset(teamId: number | null = null): void {
    this.ctx.storage.transactionSync(() => this.#store.reset(teamId));
  }
}

export const theSandbox = (namespace: DurableObjectNamespace<SandboxState>) =>
  namespace.getByName("sandbox");
