import * as z from "zod";
import { field, maybeText } from "../kit/shapes.ts";
import { CONTAINER_STATUSES, type ContainerStatus, type ListedPost } from "../meta/containers.ts";
import { graphApi, graphId as id, unwrapped } from "../meta/graph.ts";
import { apiVersion } from "./capabilities.ts";

/** Server of accounts that are connected by Instagram Login. */
export const GRAPH = "https://graph.instagram.com";

/** Posts of one listing: more than an account publishes while one answer is missing. */
const LIST_LIMIT = 25;

const { graph, versioned, readerOf } = graphApi("Instagram", GRAPH, apiVersion.version);

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

const containerStatus = z
  .object({
    status_code: z.enum(CONTAINER_STATUSES),
    status: maybeText,
  })
  .transform((body): ContainerStatus => ({ status: body.status_code, reason: body.status }));

/** @see https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-container */
export function getContainerRequest(token: string, containerId: string): Request {
  return graph(versioned(containerId), { token, query: { fields: "status_code,status" } });
}

/** The reason of an ERROR is a sentence with its subcode. */
export const readGetContainerReply = readerOf(containerStatus);

/**
 * The call that makes a post, which cannot be undone.
 *
 * @see https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media_publish
 */
export function publishRequest(token: string, userId: string, containerId: string): Request {
  return graph(versioned(userId, "media_publish"), { token, form: { creation_id: containerId } });
}

/** @see https://developers.facebook.com/docs/instagram-platform/reference/instagram-media */
export function getMediaRequest(token: string, mediaId: string): Request {
  return graph(versioned(mediaId), { token, query: { fields: "id,permalink" } });
}

/** The newest posts, or the stories of the last 24 hours. */
export function listMediaRequest(
  token: string,
  userId: string,
  edge: "media" | "stories",
): Request {
  const query = { fields: "id,caption,permalink,timestamp", limit: String(LIST_LIMIT) };
  return graph(versioned(userId, edge), { token, query });
}

const media = z
  .object({
    id,
    permalink: maybeText,
    caption: maybeText,
    timestamp: maybeText,
  })
  .transform(({ caption, ...post }): ListedPost => ({ ...post, text: caption }));

/** In the platform's order, newest first. */
export const readListMediaReply = readerOf(field("data", z.array(media)));

const me = z.object({
  user_id: id,
  id: id.nullish(),
  account_type: maybeText,
  username: z.string().min(1),
  name: maybeText,
  profile_picture_url: maybeText,
});

export type Me = z.infer<typeof me>;

/** @see https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/get-started */
export function getMeRequest(token: string): Request {
  const query = { fields: "id,user_id,username,name,account_type,profile_picture_url" };
  return graph(versioned("me"), { token, query });
}

/**
 * `user_id` is the professional account's id, which paths of publishing want; `id` is how this app knows the
 * person. The reference has the object as the one item of `data`, the server mostly by itself.
 */
export const readGetMeReply = readerOf(z.preprocess(unwrapped, me));

/**
 * The call that exchanges a code for a token of an hour. The reference has it as multipart/form-data.
 *
 * @see https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/business-login
 */
export function exchangeCodeRequest(fields: Record<string, string>): Request {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  const url = "https://api.instagram.com/oauth/access_token";
  return new Request(url, { method: "POST", body, redirect: "manual" });
}

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

/**
 * 60 days for a short-lived token. Token and secret go in the address because the reference has them
 * there alone.
 *
 * @see https://developers.facebook.com/docs/instagram-platform/reference/access_token
 */
export function exchangeTokenRequest(token: string, clientSecret: string): Request {
  const grant = { grant_type: "ig_exchange_token", client_secret: clientSecret };
  return graph("/access_token", { query: { ...grant, access_token: token } });
}
