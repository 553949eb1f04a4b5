import * as z from "zod";
import type { Result } from "../../core/result.ts";
import type { Refusal } from "../kit/refusals.ts";
import { messageOf, replyReader } from "../kit/replies.ts";
import { bearerRequest } from "../kit/requests.ts";
import { field, maybeText } from "../kit/shapes.ts";

export const API = "https://api.x.com";

const MAX_REPLY_BYTES = 8_000_000;

export interface XRefusal extends Refusal {
  problem: string | null;
  resetsAt: Date | null;
}

export type Reading<T> = Promise<Result<T, XRefusal>>;

const problem = z.object({
  type: maybeText,
  title: maybeText,
  detail: maybeText,
  error: maybeText,
  error_description: maybeText,
  errors: z
    .array(z.object({ message: maybeText, detail: maybeText }))
    .optional()
    .catch(undefined),
});

function readResetsAt(reply: Response): Date | null {
  const seconds = reply.headers.get("x-rate-limit-reset") ?? "";
  return /^\d{1,12}$/.test(seconds) ? new Date(Number(seconds) * 1_000) : null;
}

function toRefusal(reply: Response, body: unknown): XRefusal {
  const error = problem.safeParse(body).data;
  const [first] = error?.errors ?? [];
  const wordings = [error?.detail, error?.error_description, first?.message ?? first?.detail];
  const words = [...new Set(wordings.map((wording) => wording?.trim()).filter(Boolean))].join(" ");
  const name = error?.type?.split("/").at(-1);
  const title = !reply.ok && error?.title && `X answered HTTP ${reply.status}: ${error.title}.`;
  return {
    status: reply.status,
    problem: error?.error || (name && name !== "about:blank" ? name : null),
    message: messageOf("X", reply, words || title || null),
    resetsAt: readResetsAt(reply),
  };
}

export const { readReply, readerOf, readDoneReply } = replyReader(MAX_REPLY_BYTES, toRefusal);

export const dataReaderOf = <T>(shape: z.ZodType<T>) => readerOf(field("data", shape));

export const call = (
  method: "GET" | "POST" | "DELETE",
  path: string,
  accessToken: string,
  json?: object,
): Request => bearerRequest(API + path, accessToken, { method, json });

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

export const readMeReply = dataReaderOf(me);

/** @see https://docs.x.com/x-api/users/user-lookup-by-usernames */
export const usersRequest = (accessToken: string, usernames: readonly string[]): Request =>
  call("GET", `/2/users/by?usernames=${usernames.join(",")}`, accessToken);

const snowflake = z.string().regex(/^\d+$/);

const user = z.object({ id: snowflake, username: z.string() });

/** X lists unknown users in `errors`, with HTTP 200. */
export const readUsersReply = dataReaderOf(z.array(user).default([]));

export interface PostBody {
  text?: string;
  media?: { media_ids: string[]; tagged_user_ids?: string[] };
  reply?: { in_reply_to_tweet_id: string };
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

export const readCreatePostReply = dataReaderOf(field("id", snowflake));

/** @see https://docs.x.com/x-api/posts/get-posts-by-ids */
export const getPostsRequest = (accessToken: string, id: string): Request =>
  call("GET", `/2/tweets?ids=${encodeURIComponent(id)}`, accessToken);

/** Unknown posts are missing, with HTTP 200. */
export const readGetPostsReply = dataReaderOf(
  z
    .array(z.object({ id: snowflake }))
    .default([])
    .transform((found) => found.map(({ id }) => id)),
);

/** @see https://docs.x.com/x-api/posts/delete-post */
export const deletePostRequest = (accessToken: string, id: string): Request =>
  call("DELETE", `/2/tweets/${encodeURIComponent(id)}`, accessToken);

export const readDeletedReply = dataReaderOf(
  z.object({ deleted: z.boolean().default(true) }).transform(({ deleted }) => deleted),
);

/** X's specification 2.167 says `post.fields`, unlike its documentation and SDK. */
const FIELDS_PARAMETER = "tweet.fields";
const LISTED_FIELDS =
  "created_at,text,entities,attachments,note_tweet,referenced_tweets,in_reply_to_user_id";
/** X accepts 5 to 100. */
const LISTED_POSTS = 100;

/**
 * Lists replies too.
 * @param since a time, or the id of an older post
 * @param page token of a later page
 * @see https://docs.x.com/x-api/posts/user-posts-timeline-by-user-id
 */
export function listPostsRequest(
  accessToken: string,
  userId: string,
  since: Date | string,
  page: string | null,
): Request {
  const query = new URLSearchParams({
    max_results: String(LISTED_POSTS),
    ...(typeof since === "string"
      ? { since_id: since }
      : { start_time: `${since.toISOString().slice(0, 19)}Z` }),
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

const references = z.array(z.object({ type: z.string(), id: snowflake })).nullish();

const note = z.object({ text: z.string(), entities }).nullish();

const listedPost = z.object({
  id: snowflake,
  text: z.string(),
  created_at: z.string(),
  entities,
  attachments: z.object({ media_keys: z.array(z.string()).nullish() }).nullish(),
  /** Full texts beyond 280 characters. X's specification 2.167 says `note_post`. */
  note_tweet: note,
  note_post: note,
  referenced_tweets: references,
  referenced_posts: references,
  in_reply_to_user_id: z.string().nullish(),
});

export type ListedPost = z.infer<typeof listedPost>;

const postPage = z
  .object({
    data: z.array(listedPost).default([]),
    meta: z.object({ result_count: z.number(), next_token: z.string().nullish() }),
  })
  .transform(({ data, meta }) => ({ posts: data, nextPage: meta.next_token || null }));

export const readListPostsReply = readerOf(postPage);
