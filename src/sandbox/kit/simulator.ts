import { type Context, Hono } from "hono";
import type { Failure } from "../../core/failures.ts";
import type { CallOrigin } from "./origin.ts";
import { Refusal } from "./refusal.ts";
import { DELAY_HEADER, OUTCOME_HEADER, type SimulatedCall } from "./state-call.ts";
import type { Reply } from "./steering.ts";
import type { NewPost, SandboxStore, SavedPost } from "./store.ts";

/** One platform, imitated at the level of its HTTP API. */
export interface Simulator {
  /** `CREATE TABLE IF NOT EXISTS …` of what it keeps beyond the shared tables; empty for nothing. */
  schema: string;
  /** Answers as the platform would; never throws for anything a caller can do. */
  handle(call: SimulatedCall, store: SandboxStore): Promise<Response>;
  /** Absent where nobody posts by hand. */
  postByHand?: PostByHand | undefined;
}

/** The part of a new post that the feed cannot know; `key` is the platform's own id. */
export type HandPost = Pick<NewPost, "key" | "url"> & Partial<Pick<NewPost, "version" | "fields">>;

/**
 * Makes a post as people do in a platform's own app: like another one of the same account, with another text. Null
 * where that one is gone.
 */
export type PostByHand = (
  sandbox: Sandbox,
  like: SavedPost,
  text: string,
) => HandPost | null | Promise<HandPost | null>;

/** The sandbox side of a call: who calls, and the state that answers. */
export interface Sandbox {
  origin: CallOrigin;
  store: SandboxStore;
}

export interface SandboxEnv {
  Bindings: Sandbox;
}

/** A call as the endpoints of a simulated platform receive it. */
export type Call = Context<SandboxEnv>;

/** The `:id` of the path. */
export const idOf = ({ req }: Pick<Call, "req">): string => req.param("id") ?? "";

/**
 * An app that routes by host and path, as in `/api.x.com/2/tweets`, and answers refusals as they are.
 *
 * @param options `isStrict`: a slash at the end makes another path
 */
export function createApp<E extends SandboxEnv = SandboxEnv>(
  notFound: (call: Context<E>) => Refusal | Response,
  { isStrict = true } = {},
): Hono<E> {
  const app = new Hono<E>({
    getPath: ({ url }) => {
      const { host, pathname } = new URL(url);
      return `/${host}${isStrict ? pathname : pathname.replace(/(?<=.)\/$/, "")}`;
    },
  });
  app.notFound((call) => {
    const answer = notFound(call);
    return answer instanceof Refusal ? answer.toResponse() : answer;
  });
  return app.onError((error) => {
    if (error instanceof Refusal) return error.toResponse();
    throw error;
  });
}

/** @param tables those of the app, beyond the shared ones */
export const createSimulator = <E extends SandboxEnv>(
  tables: { schema: string }[],
  app: Hono<E>,
  postByHand?: PostByHand,
): Simulator => ({
  schema: tables.map(({ schema }) => schema).join("\n"),
  handle: async ({ request, origin }, store) => app.fetch(request, { origin, store }),
  postByHand,
});

/** Ends the attempt with a failure that the platform has no words for. */
export const forcedFailure = (failure: Failure): Refusal =>
  new Refusal(200, failure, { [OUTCOME_HEADER]: "failure" });

/** Marks the answer to an accepted post where the post's text wants it late or lost. */
export function deliver(reply: Reply, response: Response): Response {
  if (reply.kind === "dropped") {
    return new Response(null, { headers: { [OUTCOME_HEADER]: "dropped" } });
  }
  if (reply.kind === "late") response.headers.set(DELAY_HEADER, String(reply.seconds));
  return response;
}

/** Marks an answer as lost where the text says so; what is slow is the processing, not the answer. */
export const deliverAtOnce = (reply: Reply, response: Response): Response =>
  deliver(reply.kind === "dropped" ? reply : { kind: "now" }, response);
