import * as z from "zod";
import { ok, type Result, refuse } from "../../core/result.ts";
import { parseJson, readText } from "../kit/replies.ts";

/** Room for a page of captions in escaped form; whatever is longer was not meant for us. */
const MAX_REPLY_BYTES = 1_000_000;
const MAX_MESSAGE_CHARACTERS = 500;
/** An answer other than the hoped for one: a refusal, or a 2xx that cannot be read. */
export interface GraphRefusal {
  status: number;
  /** Meta's own numbers; null when the body named none. */
  code: number | null;
  subcode: number | null;
  /** What Meta would have a person read, else its wording for developers. At most 500 characters. */
  message: string;
  /** All that Meta wrote, for where the numbers say too little. */
  wording: string;
  isTransient: boolean;
  /** Minutes until calls are taken again, where a limit was met and Meta said how long. */
  regainMinutes: number | null;
}

export type Reading<T> = Promise<Result<T, GraphRefusal>>;

/** The body as JSON; undefined when it is longer than 1 MB or anything else. */
async function readJson(reply: Response): Promise<unknown> {
  const text = await readText(reply, MAX_REPLY_BYTES);
  return parseJson(text === null ? null : withTextIds(text));
}

/** Ids exceed what a number holds exactly, and some answers write them as numbers. */
const withTextIds = (json: string): string =>
  json.replace(/"((?:user_|video_|post_|upload_session_)?id)"(\s*:\s*)(\d+)/g, '"$1"$2"$3"');

const errorBody = z.object({
  error: z.object({
    message: z.string().nullish().catch(null),
    code: z.number().nullish().catch(null),
    error_subcode: z.number().nullish().catch(null),
    is_transient: z.boolean().nullish().catch(null),
    error_user_title: z.string().nullish().catch(null),
    error_user_msg: z.string().nullish().catch(null),
  }),
});

const usageHeader = z.record(
  z.string(),
  z.array(z.object({ estimated_time_to_regain_access: z.number().optional().catch(undefined) })),
);

/** The longest wait that `X-Business-Use-Case-Usage` names; null when it names none. */
function readRegainMinutes(reply: Response): number | null {
  const header = reply.headers.get("x-business-use-case-usage");
  if (!header) return null;
  try {
    const waits = Object.values(usageHeader.parse(JSON.parse(header)))
      .flat()
      .map((usage) => usage.estimated_time_to_regain_access ?? 0);
    const longest = Math.max(0, ...waits);
    return longest > 0 ? longest : null;
  } catch {
    return null;
  }
}

function toGraphRefusal(reply: Response, body: unknown, platform: string): GraphRefusal {
  const said = errorBody.safeParse(body).data?.error;
  const fallback = reply.ok
    ? `${platform} answered HTTP ${reply.status} with a body that cannot be read.`
    : `${platform} answered HTTP ${reply.status}.`;
  return {
    status: reply.status,
    code: said?.code ?? null,
    subcode: said?.error_subcode ?? null,
    message: (said?.error_user_msg?.trim() || said?.message?.trim() || fallback)
      .slice(0, MAX_MESSAGE_CHARACTERS)
      .toWellFormed(),
    wording: [said?.message, said?.error_user_title, said?.error_user_msg]
      .map((text) => text?.slice(0, MAX_MESSAGE_CHARACTERS) ?? "")
      .join("\n"),
    isTransient: said?.is_transient ?? false,
    regainMinutes: readRegainMinutes(reply),
  };
}

/**
 * An answer in its shape, else the refusal.
 *
 * @param platform its name as people know it, for a message where the answer has none
 */
export async function readGraphReply<T>(
  reply: Response,
  shape: z.ZodType<T>,
  platform: string,
): Reading<T> {
  const body = await readJson(reply);
  const parsed = reply.ok ? shape.safeParse(body) : undefined;
  return parsed?.success ? ok(parsed.data) : refuse(toGraphRefusal(reply, body, platform));
}

export interface GraphCall {
  query?: Record<string, string>;
  form?: Record<string, string>;
  /** Sent as a header: addresses end up in logs. */
  token?: string;
}

/** A GET, or a POST where there is a form. */
export function graphRequest(
  origin: string,
  path: string,
  { query, form, token }: GraphCall,
): Request {
  const url = new URL(path, origin);
  for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
  const headers = new Headers({ accept: "application/json" });
  if (token) headers.set("authorization", `Bearer ${token}`);
  // A redirect could carry the token to somebody else.
  const init: RequestInit = { headers, redirect: "manual" };
  return form
    ? new Request(url, { ...init, method: "POST", body: new URLSearchParams(form) })
    : new Request(url, init);
}

/** A digits-only id, whatever JSON type it came as. */
export const graphId = z.string().regex(/^\d+$/);
