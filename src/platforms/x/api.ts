import * as z from "zod";
import { ok, type Result, refuse } from "../../core/result.ts";
import { parseJson, readText } from "../kit/replies.ts";

export const API = "https://api.x.com";

/** The longest replies are lists of 100 posts of up to 25,000 characters. */
const MAX_REPLY_BYTES = 8_000_000;
const MAX_MESSAGE_CHARACTERS = 500;

/** An answer other than the hoped for one: a refusal, or a 2xx that cannot be read. */
export interface XRefusal {
  status: number;
  /** Such as `rate-limit-exceeded`, or the `error` of OAuth; null when the body named none. */
  problem: string | null;
  /** X's own wording, else a sentence with the status. At most 500 characters. */
  message: string;
  /** When the window of a rate limit ends; null when X did not say. */
  resetsAt: Date | null;
}

export type Reading<T> = Promise<Result<T, XRefusal>>;

const text = z.string().optional().catch(undefined);

/** All forms that X's errors have. */
const problem = z.object({
  type: text,
  title: text,
  detail: text,
  error: text,
  error_description: text,
  errors: z
    .array(z.object({ message: text, detail: text }))
    .optional()
    .catch(undefined),
});

function readResetsAt(reply: Response): Date | null {
  const seconds = reply.headers.get("x-rate-limit-reset") ?? "";
  return /^\d{1,12}$/.test(seconds) ? new Date(Number(seconds) * 1_000) : null;
}

function toRefusal(reply: Response, body: unknown) {
  const told = problem.safeParse(body).data;
  const [first] = told?.errors ?? [];
  const wordings = [told?.detail, told?.error_description, first?.message ?? first?.detail];
  const words = [...new Set(wordings.map((wording) => wording?.trim()).filter(Boolean))].join(" ");
  const name = told?.type?.split("/").at(-1);
  const fallback = reply.ok
    ? `X answered HTTP ${reply.status} with a body that cannot be read.`
    : `X answered HTTP ${reply.status}${told?.title ? `: ${told.title}` : ""}.`;
  return refuse<XRefusal>({
    status: reply.status,
    problem: told?.error || (name && name !== "about:blank" ? name : null),
    message: (words || fallback).slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed(),
    resetsAt: readResetsAt(reply),
  });
}

/** The body in its shape, else the refusal. */
export async function readWhole<T>(reply: Response, shape: z.ZodType<T>): Reading<T> {
  const body = parseJson(await readText(reply, MAX_REPLY_BYTES));
  const parsed = reply.ok ? shape.safeParse(body) : null;
  return parsed?.success ? ok(parsed.data) : toRefusal(reply, body);
}

/** The same of `data`, in which X mostly wraps. */
export async function readData<T>(reply: Response, shape: z.ZodType<T>): Reading<T> {
  const read = await readWhole(reply, z.object({ data: shape }));
  return read.ok ? ok(read.value.data) : read;
}

/** A redirect could carry the token to somebody else, so none is followed. */
export function call(
  method: "GET" | "POST",
  path: string,
  accessToken: string,
  body?: object,
): Request {
  const headers: Record<string, string> = { authorization: `Bearer ${accessToken}` };
  if (body) headers["content-type"] = "application/json";
  return new Request(API + path, {
    method,
    headers,
    body: body && JSON.stringify(body),
    redirect: "manual",
  });
}

/** @see https://docs.x.com/x-api/users/user-lookup-me */
export const meRequest = (accessToken: string): Request =>
  call(
    "GET",
    "/2/users/me?user.fields=id,name,username,profile_image_url,subscription_type",
    accessToken,
  );

const me = z.object({
  id: z.string().min(1),
  name: z.string().nullish(),
  username: z.string().min(1),
  profile_image_url: z.string().nullish(),
  /** `None`, `Basic`, `Premium` or `PremiumPlus`. */
  subscription_type: z.string().nullish(),
});

export type Me = z.infer<typeof me>;

export const readMeReply = (reply: Response): Reading<Me> => readData(reply, me);

/** @see https://docs.x.com/x-api/users/user-lookup-by-usernames */
export const usersRequest = (accessToken: string, usernames: readonly string[]): Request =>
  call("GET", `/2/users/by?usernames=${usernames.join(",")}`, accessToken);

const users = z.object({
  data: z.array(z.object({ id: z.string().regex(/^\d+$/), username: z.string() })).default([]),
  errors: z.array(z.unknown()).optional(),
});

export type User = z.infer<typeof users>["data"][number];

/** The users that there are. X names the others in `errors`, with HTTP 200. */
export async function readUsersReply(reply: Response): Reading<User[]> {
  const read = await readWhole(reply, users);
  return read.ok ? ok(read.value.data) : read;
}

/** Exactly the fields that the specification names. */
export interface PostBody {
  text?: string;
  media?: { media_ids: string[]; tagged_user_ids?: string[] };
  poll?: { options: string[]; duration_minutes: number };
  reply_settings?: string;
  community_id?: string;
  share_with_followers?: true;
  for_super_followers_only?: true;
  made_with_ai?: true;
  paid_partnership?: true;
}

/** @see https://docs.x.com/x-api/posts/create-post */
export const createPostRequest = (accessToken: string, body: PostBody): Request =>
  call("POST", "/2/tweets", accessToken, body);

/** The id of the post. */
export async function readCreatePostReply(reply: Response): Reading<string> {
  const read = await readData(reply, z.object({ id: z.string().regex(/^\d+$/) }));
  return read.ok ? ok(read.value.id) : read;
}

/** Specification 2.167 renames it to `post.fields`; the documentation and X's own SDK do not. */
const FIELDS_PARAMETER = "tweet.fields";
const LISTED_FIELDS = "created_at,text,entities,attachments,note_tweet";
/** Of 5 to 100. */
const LISTED_POSTS = 100;

/**
 * The account's newest posts since a moment.
 *
 * @param page the token of a later page; null for the first
 * @see https://docs.x.com/x-api/posts/user-posts-timeline-by-user-id
 */
export function listPostsRequest(
  accessToken: string,
  userId: string,
  since: Date,
  page: string | null,
): Request {
  const query = new URLSearchParams({
    max_results: String(LISTED_POSTS),
    start_time: `${since.toISOString().slice(0, 19)}Z`,
    [FIELDS_PARAMETER]: LISTED_FIELDS,
    ...(page === null ? {} : { pagination_token: page }),
  });
  return call("GET", `/2/users/${encodeURIComponent(userId)}/tweets?${query}`, accessToken);
}

const entities = z
  .object({
    urls: z
      .array(
        z.object({
          url: z.string().min(1),
          expanded_url: z.string().nullish(),
          media_key: z.string().nullish(),
        }),
      )
      .nullish(),
  })
  .nullish();

const note = z.object({ text: z.string(), entities }).nullish();

const listedPost = z.object({
  id: z.string().regex(/^\d+$/),
  text: z.string(),
  created_at: z.string(),
  entities,
  attachments: z.object({ media_keys: z.array(z.string()).nullish() }).nullish(),
  /** The whole of a text beyond 280; renamed by specification 2.167. */
  note_tweet: note,
  note_post: note,
});

export type ListedPost = z.infer<typeof listedPost>;

const listedPosts = z.object({
  data: z.array(listedPost).optional(),
  meta: z.object({ result_count: z.number(), next_token: z.string().nullish() }),
});

/** `nextPage`: the token of the page with older ones; null where there are none. */
export async function readListPostsReply(
  reply: Response,
): Reading<{ posts: ListedPost[]; nextPage: string | null }> {
  const read = await readWhole(reply, listedPosts);
  if (!read.ok) return read;
  const { data = [], meta } = read.value;
  return ok({ posts: data, nextPage: meta.next_token || null });
}
