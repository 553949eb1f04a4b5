import * as z from "zod";
import { ok, type Result, refuse } from "../../core/result.ts";
import { parseJson, readText } from "../kit/replies.ts";
import { VERSIONS } from "../versions.ts";

export const API = "https://api.linkedin.com";
export const LOGINS = "https://www.linkedin.com/oauth/v2";

/** The longest replies are lists of 50 posts. */
const MAX_REPLY_BYTES = 2_000_000;
const MAX_MESSAGE_CHARACTERS = 500;

/** An answer other than the hoped for one: a refusal, or a 2xx that cannot be read. */
export interface LinkedInRefusal {
  status: number;
  /** Such as `EXPIRED_ACCESS_TOKEN`; null when the body named none. */
  code: string | null;
  /** LinkedIn's own wording, else a sentence with the status. At most 500 characters. */
  message: string;
  /** As `Retry-After` says; null where it is silent. */
  retryAfterSeconds: number | null;
}

export type Reading<T> = Promise<Result<T, LinkedInRefusal>>;

/** The API has `code` and `message`, the logins have `error` and `error_description`. */
const errorBody = z.object({
  code: z.string().min(1).optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  error: z.string().min(1).optional().catch(undefined),
  error_description: z.string().optional().catch(undefined),
});

function readRetryAfter(reply: Response): number | null {
  const text = reply.headers.get("retry-after") ?? "";
  return /^\d{1,7}$/.test(text) ? Number(text) : null;
}

export function toRefusal(reply: Response, body: unknown): LinkedInRefusal {
  const error = errorBody.safeParse(body).data ?? {};
  const fallback = reply.ok
    ? `LinkedIn answered HTTP ${reply.status} with a body that cannot be read.`
    : `LinkedIn answered HTTP ${reply.status}.`;
  const message = error.message?.trim() || error.error_description?.trim() || fallback;
  return {
    status: reply.status,
    code: error.code ?? error.error ?? null,
    message: message.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed(),
    retryAfterSeconds: readRetryAfter(reply),
  };
}

/** The body of a 2xx in its shape, else the refusal. */
export async function readReply<D>(reply: Response, shape: z.ZodType<D>): Reading<D> {
  const body = parseJson(await readText(reply, MAX_REPLY_BYTES));
  const parsed = reply.ok ? shape.safeParse(body) : undefined;
  return parsed?.success ? ok(parsed.data) : refuse(toRefusal(reply, body));
}

/** For a call whose 2xx says everything by itself. */
export async function readEmptyReply(reply: Response): Reading<null> {
  if (!reply.ok) return refuse(toRefusal(reply, parseJson(await readText(reply, MAX_REPLY_BYTES))));
  await reply.body?.cancel();
  return ok(null);
}

const apiHeaders = (accessToken: string): Record<string, string> => ({
  authorization: `Bearer ${accessToken}`,
  [VERSIONS.linkedin.header]: VERSIONS.linkedin.version,
  "x-restli-protocol-version": "2.0.0",
});

/** A redirect could carry the token to somebody else, so none is followed. */
export const get = (
  path: string,
  accessToken: string,
  headers: Record<string, string> = {},
): Request =>
  new Request(`${API}/rest/${path}`, {
    headers: { ...apiHeaders(accessToken), ...headers },
    redirect: "manual",
  });

export const post = (path: string, accessToken: string, body: object): Request =>
  new Request(`${API}/rest/${path}`, {
    method: "POST",
    headers: { ...apiHeaders(accessToken), "content-type": "application/json" },
    body: JSON.stringify(body),
    redirect: "manual",
  });

/** A URN as it stands in paths and queries. */
export const encodeUrn = (urn: string): string => encodeURIComponent(urn);
