import { type Context, Hono } from "hono";
import type { Failure } from "../../core/failures.ts";
import type { CallOrigin } from "./origin.ts";
import { Refusal } from "./refusal.ts";
import { DELAY_HEADER, OUTCOME_HEADER, type SimulatedCall } from "./state-call.ts";
import type { Reply } from "./steering.ts";
import type { NewPost, SandboxStore, SavedPost } from "./store.ts";

export interface Simulator {
  schema: string;
  /** Never throws, whatever the caller sends. */
  handle(call: SimulatedCall, store: SandboxStore): Promise<Response>;
  postByHand?: PostByHand | undefined;
}

export type HandPost = Pick<NewPost, "key" | "url"> & Partial<Pick<NewPost, "version" | "fields">>;

/**
 * Simulates a post from the platform's own app, with the settings of the earlier post `like`. Null when that is gone.
 */
export type PostByHand = (
  sandbox: Sandbox,
  like: SavedPost,
  text: string,
) => HandPost | null | Promise<HandPost | null>;

export interface Sandbox {
  origin: CallOrigin;
  store: SandboxStore;
}

export interface SandboxEnv {
  Bindings: Sandbox;
}

export type Call = Context<SandboxEnv>;

export const idOf = ({ req }: Pick<Call, "req">): string => req.param("id") ?? "";

/**
 * Routes by host and path, such as `/api.x.com/2/tweets`.
 *
 * @param options `isStrict`: a trailing slash makes another path
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

export const createSimulator = <E extends SandboxEnv>(
  tables: { schema: string }[],
  app: Hono<E>,
  postByHand?: PostByHand,
): Simulator => ({
  schema: tables.map(({ schema }) => schema).join("\n"),
  handle: async ({ request, origin }, store) => app.fetch(request, { origin, store }),
  postByHand,
});

/** For a failure that the platform has no error for. */
export const forcedFailure = (failure: Failure): Refusal =>
  new Refusal(200, failure, { [OUTCOME_HEADER]: "failure" });

export function deliver(reply: Reply, response: Response): Response {
  if (reply.kind === "dropped") {
    return new Response(null, { headers: { [OUTCOME_HEADER]: "dropped" } });
  }
  if (reply.kind === "late") response.headers.set(DELAY_HEADER, String(reply.seconds));
  return response;
}

/** Never late: `[sandbox:slow]` delays the file's processing instead. */
export const deliverAtOnce = (reply: Reply, response: Response): Response =>
  deliver(reply.kind === "dropped" ? reply : { kind: "now" }, response);
