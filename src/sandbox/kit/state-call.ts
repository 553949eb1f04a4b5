import type { Failure } from "../../core/failures.ts";
import { isPlatform } from "../../core/platforms.ts";
import type { CallOrigin } from "./origin.ts";

export interface SimulatedCall {
  request: Request;
  url: URL;
  origin: CallOrigin;
}

const TEAM_HEADER = "sandbox-team-id";
const ACCOUNT_HEADER = "sandbox-account-id";
const UPLOAD_HEADER = "sandbox-upload-id";
const PLATFORM_HEADER = "sandbox-platform";
export const OUTCOME_HEADER = "sandbox-outcome";
export const DELAY_HEADER = "sandbox-delay-seconds";

/** Adds private headers for the Durable Object. */
export function withOrigin(request: Request, origin: CallOrigin): Request {
  const headers = new Headers(request.headers);
  headers.set(TEAM_HEADER, String(origin.teamId));
  headers.set(ACCOUNT_HEADER, origin.accountId ?? "");
  headers.set(UPLOAD_HEADER, String(origin.uploadId ?? ""));
  headers.set(PLATFORM_HEADER, origin.platform ?? "");
  return new Request(request, { headers });
}

export function readCall(request: Request): SimulatedCall {
  const headers = new Headers(request.headers);
  const uploadId = headers.get(UPLOAD_HEADER);
  const platform = headers.get(PLATFORM_HEADER) ?? "";
  const origin = {
    teamId: Number(headers.get(TEAM_HEADER)),
    accountId: headers.get(ACCOUNT_HEADER) || null,
    uploadId: uploadId ? Number(uploadId) : null,
    platform: isPlatform(platform) ? platform : null,
  };
  for (const name of [TEAM_HEADER, ACCOUNT_HEADER, UPLOAD_HEADER, PLATFORM_HEADER])
    headers.delete(name);
  return { request: new Request(request, { headers }), url: new URL(request.url), origin };
}

type StateAnswer =
  | { kind: "answered"; response: Response; afterSeconds: number }
  | { kind: "dropped" }
  | { kind: "failure"; failure: Failure };

export async function readStateAnswer(response: Response): Promise<StateAnswer> {
  const outcome = response.headers.get(OUTCOME_HEADER);
  if (outcome === "dropped") return { kind: "dropped" };
  if (outcome === "failure") return { kind: "failure", failure: await response.json<Failure>() };
  // Callers that read only the status would keep the Durable Object busy.
  const body = await response.arrayBuffer();
  const answer = new Response(body.byteLength > 0 ? body : null, response);
  const afterSeconds = Number(answer.headers.get(DELAY_HEADER) ?? 0);
  answer.headers.delete(DELAY_HEADER);
  return { kind: "answered", response: answer, afterSeconds };
}
