import * as z from "zod";
import { field, maybeText } from "../kit/shapes.ts";
import { CONTAINER_STATUSES, type ContainerStatus, type Fields } from "../meta/containers.ts";
import { graphApi, graphId as id } from "../meta/graph.ts";
import { apiVersion } from "./capabilities.ts";

/** The name of the platform in messages about answers that have none. */
export const NAME = "Threads";

/** Posts of one listing: more than an account publishes while one answer is missing. */
const LIST_LIMIT = 25;

/** The same is served at graph.threads.com. */
export const GRAPH = "https://graph.threads.net";

const { graph, versioned, readerOf } = graphApi(NAME, GRAPH, apiVersion.version);

/**
 * The call that makes a container of a text, of a file that is fetched, or of the items of a carousel.
 * Nobody sees it until it is published; unpublished it is gone after 24 hours.
 *
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

/** The reason of an ERROR is a word of Threads, such as INVALID_DURATION. */
export const readGetContainerReply = readerOf(containerStatus);

/**
 * The call that makes a post, which cannot be undone.
 *
 * @see https://developers.facebook.com/docs/threads/reference/publishing
 */
export const publishRequest = (token: string, userId: string, containerId: string): Request =>
  graph(versioned(userId, "threads_publish"), { token, form: { creation_id: containerId } });

/** @see https://developers.facebook.com/docs/threads/threads-media */
export const getPostRequest = (token: string, postId: string): Request =>
  graph(versioned(postId), { token, query: { fields: "id,permalink,shortcode,timestamp" } });

/**
 * The newest posts of the account whose token it is.
 *
 * @see https://developers.facebook.com/docs/threads/threads-media
 */
export const listPostsRequest = (token: string): Request =>
  graph(versioned("me", "threads"), {
    token,
    query: { fields: "id,media_type,permalink,text,timestamp", limit: String(LIST_LIMIT) },
  });

const post = z.object({
  id,
  media_type: maybeText,
  permalink: maybeText,
  text: maybeText,
  timestamp: maybeText,
});

/** Kind of a repost, which stands among the account's posts. */
const REPOST = "REPOST_FACADE";

/** In the platform's order, newest first, without reposts. */
export const readListPostsReply = readerOf(
  field("data", z.array(post)).transform((posts) =>
    posts.filter(({ media_type }) => media_type !== REPOST),
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

/** `id` is the one that paths of publishing want; it is larger than a number holds exactly. */
export const readGetMeReply = readerOf(me);

/**
 * The call that exchanges a code for a token of an hour.
 *
 * @see https://developers.facebook.com/docs/threads/get-started/get-access-tokens-and-permissions
 */
export const exchangeCodeRequest = (fields: Record<string, string>): Request =>
  graph("/oauth/access_token", { form: fields });

/**
 * The call that asks what Threads knows of a token. By the reference it answers testers of the app; it is
 * seen to answer everybody about their own.
 *
 * @see https://developers.facebook.com/docs/threads/reference/debug
 */
export const debugTokenRequest = (token: string): Request =>
  graph(versioned("debug_token"), { token, query: { input_token: token } });

/** The scopes of a token; null where Threads does not say. */
export const readDebugTokenReply = readerOf(
  field("data", z.object({ scopes: z.array(z.string()).min(1).nullish().catch(null) })),
);

/**
 * Another 60 days for a token that still lives and is at least 24 hours old. The token goes in the
 * address because the reference has it there alone.
 *
 * @see https://developers.facebook.com/docs/threads/get-started/long-lived-tokens
 */
export const refreshTokenRequest = (token: string): Request =>
  graph("/refresh_access_token", {
    query: { grant_type: "th_refresh_token", access_token: token },
  });

/**
 * 60 days for a short-lived token. Token and secret go in the address because the reference has them
 * there alone.
 *
 * @see https://developers.facebook.com/docs/threads/get-started/long-lived-tokens
 */
export function exchangeTokenRequest(token: string, clientSecret: string): Request {
  const grant = { grant_type: "th_exchange_token", client_secret: clientSecret };
  return graph("/access_token", { query: { ...grant, access_token: token } });
}
