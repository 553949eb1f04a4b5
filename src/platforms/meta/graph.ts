import * as z from "zod";
import type { Result } from "../../core/result.ts";
import { SECOND } from "../../core/time.ts";
import type { Refusal } from "../kit/refusals.ts";
import { MAX_MESSAGE_CHARACTERS, messageOf, parseJson, replyReader } from "../kit/replies.ts";
import { maybeText } from "../kit/shapes.ts";

const MAX_REPLY_BYTES = 1_000_000;

/** `message`: Meta's text for users, else for developers. */
export interface GraphRefusal extends Refusal {
  code: number | null;
  subcode: number | null;
  /** All of Meta's texts. They decide when the code is vague. */
  wording: string;
  isTransient: boolean;
  /** Minutes until a rate limit ends. Null when Meta does not say. */
  regainMinutes: number | null;
}

export type Reading<T> = Promise<Result<T, GraphRefusal>>;

/** Numeric ids exceed the exact range of numbers. */
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

/** From the servers that exchange codes. */
const flatError = z.object({ error_message: z.string() });

const usageHeader = z.record(
  z.string(),
  z.array(z.object({ estimated_time_to_regain_access: z.number().optional().catch(undefined) })),
);

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
  const error = errorBody.safeParse(body).data?.error;
  const flat = flatError.safeParse(body).data?.error_message;
  const words = [error?.message, error?.error_user_title, error?.error_user_msg];
  return {
    status: reply.status,
    code: error?.code ?? null,
    subcode: error?.error_subcode ?? null,
    message: messageOf(platform, reply, error?.error_user_msg?.trim() || error?.message || flat),
    wording: words.map((text) => text?.slice(0, MAX_MESSAGE_CHARACTERS) ?? "").join("\n"),
    isTransient: error?.is_transient ?? false,
    regainMinutes: readRegainMinutes(reply),
  };
}

export interface GraphCall {
  query?: Record<string, string>;
  form?: Record<string, string>;
  /** Sent as a header, because URLs end up in logs. */
  token?: string;
}

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

export function graphApi(platform: string, origin: string, version: string) {
  const versioned = (...path: string[]): string =>
    `/${[version, ...path.map(encodeURIComponent)].join("/")}`;

  function graph(path: string, { query, form, token }: GraphCall, host = origin): Request {
    const url = new URL(path, host);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
    const headers = new Headers({ accept: "application/json" });
    if (token) headers.set("authorization", `Bearer ${token}`);
    const init: RequestInit = { headers, redirect: "manual" };
    return form
      ? new Request(url, { ...init, method: "POST", body: new URLSearchParams(form) })
      : new Request(url, init);
  }

  return { graph, versioned, ...graphReader(platform) };
}

export const deleted = z
  .union([z.boolean(), z.object({ success: z.boolean() }).transform(({ success }) => success)])
  .catch(true);

/** Removes a `data` wrapper. */
export function unwrapped(body: unknown): unknown {
  const data = body && typeof body === "object" && "data" in body ? body.data : null;
  return Array.isArray(data) && data.length === 1 ? data[0] : body;
}

/** The object is deleted, or the login may not see it. Source: Meta, "Handling Errors". */
export const DELETED_OR_HIDDEN = 33;

/** Latest `Date` in seconds. */
const MAX_SECONDS = 8_640_000_000_000;

/** Seconds since 1970. Null when missing, unreadable or 0. */
export const unixTime = z
  .number()
  .positive()
  .max(MAX_SECONDS)
  .transform((seconds) => new Date(seconds * SECOND))
  .nullish()
  .catch(null);

export const graphId = z.string().regex(/^\d+$/);
