import * as z from "zod";
import { ok, type Result, refuse } from "../../core/result.ts";
import { parseJson, readText } from "../reply.ts";

/** Released on 2026-07-29. Source: Meta, "Graph API changelog". */
export const API_VERSION = "v26.0";
/** Where accounts connected by Instagram Login are served. */
export const GRAPH = "https://graph.instagram.com";

/** Room for a page of captions in escaped form; whatever is longer was not meant for us. */
const MAX_REPLY_BYTES = 1_000_000;
const MAX_MESSAGE_CHARACTERS = 500;
/** Posts of one listing: more than an account publishes while one answer is missing. */
const LIST_LIMIT = 25;

/** An answer other than the hoped for one: a refusal, or a 2xx that cannot be read. */
export interface GraphRefusal {
  status: number;
  /** Meta's own numbers; null when the body named none. */
  code: number | null;
  subcode: number | null;
  /** What Meta would have a person read, else its wording for developers. At most 500 characters. */
  message: string;
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
  json.replace(/"(id|user_id)"(\s*:\s*)(\d+)/g, '"$1"$2"$3"');

const errorBody = z.object({
  error: z.object({
    message: z.string().nullish().catch(null),
    code: z.number().nullish().catch(null),
    error_subcode: z.number().nullish().catch(null),
    is_transient: z.boolean().nullish().catch(null),
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

function toGraphRefusal(reply: Response, body: unknown): GraphRefusal {
  const said = errorBody.safeParse(body).data?.error;
  const fallback = reply.ok
    ? `Instagram answered HTTP ${reply.status} with a body that cannot be read.`
    : `Instagram answered HTTP ${reply.status}.`;
  return {
    status: reply.status,
    code: said?.code ?? null,
    subcode: said?.error_subcode ?? null,
    message: (said?.error_user_msg?.trim() || said?.message?.trim() || fallback)
      .slice(0, MAX_MESSAGE_CHARACTERS)
      .toWellFormed(),
    isTransient: said?.is_transient ?? false,
    regainMinutes: readRegainMinutes(reply),
  };
}

async function readReply<T>(reply: Response, shape: z.ZodType<T>): Reading<T> {
  const body = await readJson(reply);
  const parsed = reply.ok ? shape.safeParse(body) : undefined;
  return parsed?.success ? ok(parsed.data) : refuse(toGraphRefusal(reply, body));
}

interface GraphCall {
  query?: Record<string, string>;
  form?: Record<string, string>;
  /** Sent as a header: addresses end up in logs. */
  token?: string;
}

function graph(path: string, { query, form, token }: GraphCall): Request {
  const url = new URL(path, GRAPH);
  for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
  const headers = new Headers({ accept: "application/json" });
  if (token) headers.set("authorization", `Bearer ${token}`);
  // A redirect could carry the token to somebody else.
  const init: RequestInit = { headers, redirect: "manual" };
  return form
    ? new Request(url, { ...init, method: "POST", body: new URLSearchParams(form) })
    : new Request(url, init);
}

const versioned = (...path: string[]): string =>
  `/${[API_VERSION, ...path.map(encodeURIComponent)].join("/")}`;

const id = z.string().regex(/^\d+$/);
const created = z.object({ id }).transform((body) => body.id);

/**
 * The call that has a file fetched, or the items of a carousel joined, into a container. Nobody sees
 * it until it is published; unpublished it is gone after 24 hours.
 *
 * @param fields lists and objects as JSON
 * @see https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media
 */
export function createContainerRequest(
  token: string,
  userId: string,
  fields: Record<string, string>,
): Request {
  return graph(versioned(userId, "media"), { token, form: fields });
}

/** The container's id. */
export const readCreateContainerReply = (reply: Response): Reading<string> =>
  readReply(reply, created);

const containerStatus = z.object({
  status_code: z.enum(["IN_PROGRESS", "FINISHED", "PUBLISHED", "ERROR", "EXPIRED"]),
  status: z.string().nullish().catch(null),
});

export type ContainerStatus = z.infer<typeof containerStatus>;

/** @see https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-container */
export function getContainerRequest(token: string, containerId: string): Request {
  return graph(versioned(containerId), { token, query: { fields: "status_code,status" } });
}

/** `status` carries the reason of an ERROR as a sentence with its subcode. */
export const readGetContainerReply = (reply: Response): Reading<ContainerStatus> =>
  readReply(reply, containerStatus);

/**
 * The call that makes a post, which cannot be undone.
 *
 * @see https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media_publish
 */
export function publishRequest(token: string, userId: string, containerId: string): Request {
  return graph(versioned(userId, "media_publish"), { token, form: { creation_id: containerId } });
}

/** The post's id. */
export const readPublishReply = (reply: Response): Reading<string> => readReply(reply, created);

const media = z.object({
  id,
  permalink: z.string().nullish().catch(null),
  caption: z.string().nullish().catch(null),
  timestamp: z.string().nullish().catch(null),
});

export type Media = z.infer<typeof media>;

/** @see https://developers.facebook.com/docs/instagram-platform/reference/instagram-media */
export function getMediaRequest(token: string, mediaId: string): Request {
  return graph(versioned(mediaId), { token, query: { fields: "id,permalink" } });
}

export const readGetMediaReply = (reply: Response): Reading<Media> => readReply(reply, media);

/** The newest posts, or the stories of the last 24 hours. */
export function listMediaRequest(
  token: string,
  userId: string,
  edge: "media" | "stories",
): Request {
  const query = { fields: "id,caption,permalink,timestamp", limit: String(LIST_LIMIT) };
  return graph(versioned(userId, edge), { token, query });
}

/** In the platform's order, newest first. */
export const readListMediaReply = (reply: Response): Reading<Media[]> =>
  readReply(
    reply,
    z.object({ data: z.array(media) }).transform((body) => body.data),
  );

const me = z.object({
  user_id: id,
  username: z.string().min(1),
  name: z.string().nullish().catch(null),
  profile_picture_url: z.string().nullish().catch(null),
});

export type Me = z.infer<typeof me>;

/** @see https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/get-started */
export function getMeRequest(token: string): Request {
  const query = { fields: "user_id,username,name,profile_picture_url" };
  return graph(versioned("me"), { token, query });
}

/** `user_id` is the professional account's id, which paths of publishing want. */
export const readGetMeReply = (reply: Response): Reading<Me> => readReply(reply, me);

const refreshed = z.object({
  access_token: z.string().min(1),
  expires_in: z.number().positive().optional().catch(undefined),
});

export type RefreshedToken = z.infer<typeof refreshed>;

/**
 * Another 60 days for a token that still lives and is at least 24 hours old. The token goes in the
 * address because the reference has it there alone.
 *
 * @see https://developers.facebook.com/docs/instagram-platform/reference/refresh_access_token
 */
export function refreshTokenRequest(token: string): Request {
  const query = { grant_type: "ig_refresh_token", access_token: token };
  return graph("/refresh_access_token", { query });
}

/** `expires_in` in seconds. */
export const readRefreshTokenReply = (reply: Response): Reading<RefreshedToken> =>
  readReply(reply, refreshed);
