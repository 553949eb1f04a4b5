import type { Failure } from "../../core/failures.ts";
import type { CallOrigin } from "./origin.ts";
import type { Reply } from "./steering.ts";
import type { SandboxStore } from "./store.ts";

export interface SimulatedCall {
  request: Request;
  url: URL;
  origin: CallOrigin;
}

/** One platform, imitated at the level of its HTTP API. */
export interface Simulator {
  /** `CREATE TABLE IF NOT EXISTS …` of what it keeps beyond the shared tables. */
  schema: string;
  /** Answers as the platform would; never throws for anything a caller can do. */
  handle(call: SimulatedCall, store: SandboxStore): Promise<Response>;
}

const TEAM_HEADER = "sandbox-team-id";
const ACCOUNT_HEADER = "sandbox-account-id";
const UPLOAD_HEADER = "sandbox-upload-id";
const OUTCOME_HEADER = "sandbox-outcome";
const DELAY_HEADER = "sandbox-delay-seconds";

/** The call with its origin in private headers, for the way to the state. */
export function withOrigin(request: Request, origin: CallOrigin): Request {
  const headers = new Headers(request.headers);
  headers.set(TEAM_HEADER, String(origin.teamId));
  headers.set(ACCOUNT_HEADER, origin.accountId ?? "");
  headers.set(UPLOAD_HEADER, String(origin.uploadId ?? ""));
  return new Request(request, { headers });
}

/** The inverse of `withOrigin`: what the platform gets to see, and who called. */
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

/** An end of the attempt that the platform has no words for. */
export const forcedFailure = (failure: Failure): Response =>
  Response.json(failure, { headers: { [OUTCOME_HEADER]: "failure" } });

/** The answer to an accepted post, marked where the post's text wants it late or lost. */
export function deliver(reply: Reply, response: Response): Response {
  if (reply.kind === "dropped") {
    return new Response(null, { headers: { [OUTCOME_HEADER]: "dropped" } });
  }
  if (reply.kind === "late") response.headers.set(DELAY_HEADER, String(reply.seconds));
  return response;
}

export type Outcome =
  | { kind: "answered"; response: Response; afterSeconds: number }
  | { kind: "dropped" }
  | { kind: "failure"; failure: Failure };

/** What an answer of the state means to the caller of the platform. */
export async function readOutcome(response: Response): Promise<Outcome> {
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

/** The whole body, or null as soon as it is seen to exceed `maxBytes`. */
export async function readBody(
  request: Request,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) return null;
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of request.body ?? []) {
    size += piece.byteLength;
    if (size > maxBytes) return null;
    pieces.push(piece);
  }
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.byteLength;
  }
  return whole;
}
