import * as z from "zod";
import { field, maybeText } from "../kit/shapes.ts";
import { CONTAINER_STATUSES, type ContainerStatus, type ListedPost } from "../meta/containers.ts";
import { graphApi, graphId as id, unwrapped } from "../meta/graph.ts";
import { apiVersion } from "./capabilities.ts";

/** For accounts connected by Instagram Login. */
const GRAPH = "https://graph.instagram.com";

const LIST_LIMIT = 25;

export const { graph, versioned, readerOf } = graphApi("Instagram", GRAPH, apiVersion.version);

/**
 * Expires after 24 hours unless published.
 * @param fields lists and objects as JSON text
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

/** With the status ERROR, `reason` is a sentence with the subcode. */
export const readGetContainerReply = readerOf(containerStatus);

/** @see https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media_publish */
export function publishRequest(token: string, userId: string, containerId: string): Request {
  return graph(versioned(userId, "media_publish"), { token, form: { creation_id: containerId } });
}

/** @see https://developers.facebook.com/docs/instagram-platform/reference/instagram-media */
export function getMediaRequest(token: string, mediaId: string): Request {
  return graph(versioned(mediaId), { token, query: { fields: "id,permalink" } });
}

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

export const readListMediaReply = readerOf(field("data", z.array(media)));

const me = z.object({
  user_id: id,
  id: id.nullish(),
  account_type: maybeText,
  username: z.string().min(1),
  name: maybeText,
  profile_picture_url: maybeText,
});

/** @see https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/get-started */
export function getMeRequest(token: string): Request {
  const query = { fields: "id,user_id,username,name,account_type,profile_picture_url" };
  return graph(versioned("me"), { token, query });
}

/**
 * Publishing paths contain `user_id`; `id` identifies the person for this app. The reference wraps the reply in `data`,
 * which Instagram mostly omits.
 */
export const readGetMeReply = readerOf(z.preprocess(unwrapped, me));

/**
 * The token lives an hour.
 * @see https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/business-login
 */
export function exchangeCodeRequest(fields: Record<string, string>): Request {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  const url = "https://api.instagram.com/oauth/access_token";
  return new Request(url, { method: "POST", body, redirect: "manual" });
}

/**
 * The token must be 24 hours old. The reference allows it only in the URL.
 * @see https://developers.facebook.com/docs/instagram-platform/reference/refresh_access_token
 */
export function refreshTokenRequest(token: string): Request {
  const query = { grant_type: "ig_refresh_token", access_token: token };
  return graph("/refresh_access_token", { query });
}

/**
 * The new token lives 60 days. The reference allows token and secret only in the URL.
 * @see https://developers.facebook.com/docs/instagram-platform/reference/access_token
 */
export function exchangeTokenRequest(token: string, clientSecret: string): Request {
  const grant = { grant_type: "ig_exchange_token", client_secret: clientSecret };
  return graph("/access_token", { query: { ...grant, access_token: token } });
}
