import { type Context, Hono } from "hono";
import type { Failure } from "../../core/failures.ts";
import type { CallOrigin } from "./origin.ts";
import { Refusal } from "./refusal.ts";
import type { Reply } from "./steering.ts";
import type { SandboxStore } from "./store.ts";

export interface SimulatedCall {
  request: Request;
  url: URL;
  origin: CallOrigin;
}

/** One platform, imitated at the level of its HTTP API. */
export interface Simulator {
  /** `CREATE TABLE IF NOT EXISTS …` of what it keeps beyond the shared tables; empty for nothing. */
  schema: string;
  /** Answers as the platform would; never throws for anything a caller can do. */
  handle(call: SimulatedCall, store: SandboxStore): Promise<Response>;
}

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
): Simulator => ({
  schema: tables.map(({ schema }) => schema).join("\n"),
  handle: async ({ request, origin }, store) => app.fetch(request, { origin, store }),
});

const TEAM_HEADER = "sandbox-team-id";
const ACCOUNT_HEADER = "sandbox-account-id";
const UPLOAD_HEADER = "sandbox-upload-id";
const OUTCOME_HEADER = "sandbox-outcome";
const DELAY_HEADER = "sandbox-delay-seconds";

/** Adds the origin in private headers, for the way to the state. */
export function withOrigin(request: Request, origin: CallOrigin): Request {
  const headers = new Headers(request.headers);
  headers.set(TEAM_HEADER, String(origin.teamId));
  headers.set(ACCOUNT_HEADER, origin.accountId ?? "");
  headers.set(UPLOAD_HEADER, String(origin.uploadId ?? ""));
  return new Request(request, { headers });
}

/** Reverses `withOrigin`: the request as the platform sees it, and who called. */
export function readCall(request: Request): SimulatedCall {
  const headers = new Headers(request.headers);
  const uploadId = headers.get(UPLOAD_HEADER);
  const origin = {
    teamId: Number(headers.get(TEAM_HEADER)),
    accountId: headers.get(ACCOUNT_HEADER) || null,
    uploadId: uploadId ? Number(uploadId) : null,
  };
  for (const name of [TEAM_HEADER, ACCOUNT_HEADER, UPLOAD_HEADER]) headers.delete(name);
  return { request: new Request(request, { headers }), url: new URL(request.url), origin };
}

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

type StateAnswer =
  | { kind: "answered"; response: Response; afterSeconds: number }
  | { kind: "dropped" }
  | { kind: "failure"; failure: Failure };

/** Reads an answer of the state as the caller of the platform sees it. */
export async function readStateAnswer(response: Response): Promise<StateAnswer> {
  const outcome = response.headers.get(OUTCOME_HEADER);
  if (outcome === "dropped") return { kind: "dropped" };
  if (outcome === "failure") return { kind: "failure", failure: await response.json<Failure>() };
  // Read here, because a caller who looks at the status alone would keep the state busy.
  const body = await response.arrayBuffer();
  const answer = new Response(body.byteLength > 0 ? body : null, response);
  const afterSeconds = Number(answer.headers.get(DELAY_HEADER) ?? 0);
  answer.headers.delete(DELAY_HEADER);
  return { kind: "answered", response: answer, afterSeconds };
}
