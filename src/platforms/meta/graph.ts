import * as z from "zod";
import type { Result } from "../../core/result.ts";
import type { Refusal } from "../kit/refusals.ts";
import { MAX_MESSAGE_CHARACTERS, messageOf, parseJson, replyReader } from "../kit/replies.ts";
import { maybeText } from "../kit/shapes.ts";

/** Room for a page of captions in escaped form; whatever is longer was not meant for us. */
const MAX_REPLY_BYTES = 1_000_000;

/** The message is what Meta would have a person read, else its wording for developers. */
export interface GraphRefusal extends Refusal {
  /** Meta's own numbers; null when the body named none. */
  code: number | null;
  subcode: number | null;
  /** All that Meta wrote, for where the numbers say too little. */
  wording: string;
  isTransient: boolean;
  /** Minutes until calls are taken again, where a limit was met and Meta said how long. */
  regainMinutes: number | null;
}

export type Reading<T> = Promise<Result<T, GraphRefusal>>;

/** Ids exceed what a number holds exactly, and some answers write them as numbers. */
export const withTextIds = (json: string): string =>
  json.replace(/"((?:user_|video_|post_|upload_session_)?id)"(\s*:\s*)(\d+)/g, '"$1"$2"$3"');

const errorBody = z.object({
  error: z.object({
    message: maybeText,
    code: z.number().nullish().catch(null),
    error_subcode: z.number().nullish().catch(null),
    is_transient: z.boolean().nullish().catch(null),
    error_user_title: maybeText,
    error_user_msg: maybeText,
  }),
});

/** The form in which the servers of codes refuse: its `code` is the status once more. */
const flatError = z.object({ error_message: z.string() });

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

function toGraphRefusal(platform: string, reply: Response, body: unknown): GraphRefusal {
  const said = errorBody.safeParse(body).data?.error;
  const flat = flatError.safeParse(body).data?.error_message;
  const words = [said?.message, said?.error_user_title, said?.error_user_msg];
  return {
    status: reply.status,
    code: said?.code ?? null,
    subcode: said?.error_subcode ?? null,
    message: messageOf(platform, reply, said?.error_user_msg?.trim() || said?.message || flat),
    wording: words.map((text) => text?.slice(0, MAX_MESSAGE_CHARACTERS) ?? "").join("\n"),
    isTransient: said?.is_transient ?? false,
    regainMinutes: readRegainMinutes(reply),
  };
}

export interface GraphCall {
  query?: Record<string, string>;
  form?: Record<string, string>;
  /** Sent as a header: addresses end up in logs. */
  token?: string;
}

/** @param platform its name as people know it, for a message where the answer has none */
const graphReader = (platform: string) =>
  replyReader(
    MAX_REPLY_BYTES,
    (reply, body) => toGraphRefusal(platform, reply, body),
    (text) => parseJson(text === null ? null : withTextIds(text)),
  );

export const readGraphReply = <T>(
  reply: Response,
  shape: z.ZodType<T>,
  platform: string,
): Reading<T> => graphReader(platform).readReply(reply, shape);

/**
 * The Graph API of one of Meta's platforms.
 *
 * @param origin where calls go, unless they name another `host`
 */
export function graphApi(platform: string, origin: string, version: string) {
  /** A path of this version. */
  const versioned = (...path: string[]): string =>
    `/${[version, ...path.map(encodeURIComponent)].join("/")}`;

  /** A GET, or a POST where there is a form. */
  function graph(path: string, { query, form, token }: GraphCall, host = origin): Request {
    const url = new URL(path, host);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
    const headers = new Headers({ accept: "application/json" });
    if (token) headers.set("authorization", `Bearer ${token}`);
    // A redirect could carry the token to somebody else.
    const init: RequestInit = { headers, redirect: "manual" };
    return form
      ? new Request(url, { ...init, method: "POST", body: new URLSearchParams(form) })
      : new Request(url, init);
  }

  return { graph, versioned, ...graphReader(platform) };
}

/** The one item of a body's `data`; a body that is no such list stands for itself. */
export function unwrapped(body: unknown): unknown {
  const data = body && typeof body === "object" && "data" in body ? body.data : null;
  return Array.isArray(data) && data.length === 1 ? data[0] : body;
}

/** A digits-only id, whatever JSON type it came as. */
export const graphId = z.string().regex(/^\d+$/);
