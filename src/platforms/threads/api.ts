import * as z from "zod";
import { field, maybeText } from "../kit/shapes.ts";
import { CONTAINER_STATUSES, type ContainerStatus, type Fields } from "../meta/containers.ts";
import { deleted, graphApi, graphId as id, unixTime } from "../meta/graph.ts";
import { apiVersion } from "./capabilities.ts";

export const NAME = "Threads";

const LIST_LIMIT = 25;

/** graph.threads.com serves the same API. */
const GRAPH = "https://graph.threads.net";

export const { graph, versioned, readerOf } = graphApi(NAME, GRAPH, apiVersion.version);

/**
 * Expires after 24 hours unless published.
 * @see https://developers.facebook.com/docs/threads/posts
 */
export const createContainerRequest = (token: string, userId: string, fields: Fields): Request =>
  graph(versioned(userId, "threads"), { token, form: fields });

/** @see https://developers.facebook.com/docs/threads/troubleshooting */
export const getContainerRequest = (token: string, containerId: string): Request =>
  graph(versioned(containerId), { token, query: { fields: "status,error_message" } });

const containerStatus = z
  .object({
    status: z.enum(CONTAINER_STATUSES),
    error_message: maybeText,
  })
  .transform((body): ContainerStatus => ({ status: body.status, reason: body.error_message }));

/** With the status ERROR, `reason` is a code such as INVALID_DURATION. */
export const readGetContainerReply = readerOf(containerStatus);

/** @see https://developers.facebook.com/docs/threads/reference/publishing */
export const publishRequest = (token: string, userId: string, containerId: string): Request =>
  graph(versioned(userId, "threads_publish"), { token, form: { creation_id: containerId } });

/** @see https://developers.facebook.com/docs/threads/threads-media */
export function getPostRequest(token: string, postId: string, isReply = false): Request {
  const fields = `id,permalink,shortcode,timestamp${isReply ? ",is_reply" : ""}`;
  return graph(versioned(postId), { token, query: { fields } });
}

export const readGetPostReply = readerOf(
  z.object({ id, permalink: maybeText, shortcode: maybeText }),
);

/**
 * Needs threads_delete. Threads deletes 100 posts per account in 24 hours.
 * @see https://developers.facebook.com/docs/threads/posts/delete-posts
 */
export const deletePostRequest = (token: string, postId: string): Request =>
  new Request(graph(versioned(postId), { token }), { method: "DELETE" });

export const readDeletedReply = readerOf(deleted);

/** @see https://developers.facebook.com/docs/threads/threads-media */
export const listPostsRequest = (token: string): Request =>
  graph(versioned("me", "threads"), {
    token,
    query: { fields: "id,media_type,permalink,text,timestamp", limit: String(LIST_LIMIT) },
  });

/**
 * Needs threads_read_replies. The other list lacks replies.
 * @see https://developers.facebook.com/documentation/threads/retrieve-and-manage-replies/user-replies
 */
export const listRepliesRequest = (token: string): Request =>
  graph(versioned("me", "replies"), {
    token,
    query: {
      fields: "id,media_type,permalink,text,timestamp,replied_to",
      limit: String(LIST_LIMIT),
    },
  });

const post = z.object({
  id,
  media_type: maybeText,
  permalink: maybeText,
  text: maybeText,
  timestamp: maybeText,
  replied_to: z.object({ id }).nullish().catch(null),
});

export const REPOST = "REPOST_FACADE";

export const readListPostsReply = readerOf(
  field("data", z.array(post)).transform((posts) =>
    posts
      .filter(({ media_type }) => media_type !== REPOST)
      .map(({ replied_to, ...listed }) => ({ ...listed, repliedTo: replied_to?.id ?? null })),
  ),
);

const me = z.object({
  id,
  username: z.string().min(1),
  name: maybeText,
  threads_profile_picture_url: maybeText,
});

/** @see https://developers.facebook.com/docs/threads/threads-profiles */
export const getMeRequest = (token: string): Request =>
  graph(versioned("me"), {
    token,
    query: { fields: "id,username,name,threads_profile_picture_url" },
  });

/** `id` exceeds the exact range of numbers. */
export const readGetMeReply = readerOf(me);

/**
 * The token lives an hour.
 * @see https://developers.facebook.com/docs/threads/get-started/get-access-tokens-and-permissions
 */
export const exchangeCodeRequest = (fields: Record<string, string>): Request =>
  graph("/oauth/access_token", { form: fields });

/**
 * Documented for testers, but works for every person's own token.
 * @see https://developers.facebook.com/docs/threads/reference/debug
 */
export const debugTokenRequest = (token: string): Request =>
  graph(versioned("debug_token"), { token, query: { input_token: token } });

export const readDebugTokenReply = readerOf(
  field(
    "data",
    z.object({
      scopes: z.array(z.string()).min(1).nullish().catch(null),
      data_access_expires_at: unixTime,
    }),
  ),
);

/**
 * The token must be 24 hours old. The reference allows it only in the URL.
 * @see https://developers.facebook.com/docs/threads/get-started/long-lived-tokens
 */
export const refreshTokenRequest = (token: string): Request =>
  graph("/refresh_access_token", {
    query: { grant_type: "th_refresh_token", access_token: token },
  });

/**
 * The new token lives 60 days. The reference allows token and secret only in the URL.
 * @see https://developers.facebook.com/docs/threads/get-started/long-lived-tokens
 */
export function exchangeTokenRequest(token: string, clientSecret: string): Request {
  const grant = { grant_type: "th_exchange_token", client_secret: clientSecret };
  return graph("/access_token", { query: { ...grant, access_token: token } });
}
