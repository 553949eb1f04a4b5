import * as z from "zod";
import {
  CONTAINER_STATUSES,
  type ContainerStatus,
  type Fields,
  type ListedPost,
} from "../meta/containers.ts";
import {
  type GraphCall,
  graphRequest,
  graphId as id,
  type Reading,
  readGraphReply,
} from "../meta/graph.ts";
import { VERSIONS } from "../versions.ts";

/** The name of the platform in messages about answers that have none. */
export const NAME = "Threads";

/** The same is served at graph.threads.com. */
const GRAPH = "https://graph.threads.net";
const API_VERSION = VERSIONS.threads.version;

/** Posts of one listing: more than an account publishes while one answer is missing. */
const LIST_LIMIT = 25;

const readReply = <T>(reply: Response, shape: z.ZodType<T>): Reading<T> =>
  readGraphReply(reply, shape, NAME);

const graph = (path: string, call: GraphCall): Request => graphRequest(GRAPH, path, call);

const versioned = (...path: string[]): string =>
  `/${[API_VERSION, ...path.map(encodeURIComponent)].join("/")}`;

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
    error_message: z.string().nullish().catch(null),
  })
  .transform(
    (body): ContainerStatus => ({ status: body.status, reason: body.error_message ?? null }),
  );

/** The reason of an ERROR is a word of Threads, such as INVALID_DURATION. */
export const readGetContainerReply = (reply: Response): Reading<ContainerStatus> =>
  readReply(reply, containerStatus);

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
  media_type: z.string().nullish().catch(null),
  permalink: z.string().nullish().catch(null),
  text: z.string().nullish().catch(null),
  timestamp: z.string().nullish().catch(null),
});

/** What the account reposted stands among its posts. */
const REPOST = "REPOST_FACADE";

/** In the platform's order, newest first, without reposts. */
export const readListPostsReply = (reply: Response): Reading<ListedPost[]> =>
  readReply(
    reply,
    z.object({ data: z.array(post) }).transform(({ data }) =>
      data
        .filter(({ media_type }) => media_type !== REPOST)
        .map(({ id, permalink = null, text = null, timestamp = null }) => ({
          id,
          permalink,
          text,
          timestamp,
        })),
    ),
  );

const me = z.object({
  id,
  username: z.string().min(1),
  name: z.string().nullish().catch(null),
  threads_profile_picture_url: z.string().nullish().catch(null),
});

/** @see https://developers.facebook.com/docs/threads/threads-profiles */
export const getMeRequest = (token: string): Request =>
  graph(versioned("me"), {
    token,
    query: { fields: "id,username,name,threads_profile_picture_url" },
  });

/** `id` is the one that paths of publishing want; it is larger than a number holds exactly. */
export const readGetMeReply = (reply: Response): Reading<z.infer<typeof me>> =>
  readReply(reply, me);

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
