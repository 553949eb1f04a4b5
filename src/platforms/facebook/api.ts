import * as z from "zod";
import { field, maybeText } from "../kit/shapes.ts";
import { deleted, graphApi, graphId as id } from "../meta/graph.ts";
import { apiVersion } from "./capabilities.ts";

const SITE = "https://www.facebook.com";

const LIST_LIMIT = 25;

export const { graph, versioned, readReply, readerOf } = graphApi(
  "Facebook",
  "https://graph.facebook.com",
  apiVersion.version,
);

/**
 * Facebook documents a GET. A POST works too and keeps the secret out of URLs.
 * @see https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow
 */
export const exchangeCodeRequest = (form: Record<string, string>): Request =>
  graph(versioned("oauth", "access_token"), { form });

/** Two numbers, `{page}_{post}`, or one number. */
const postId = z.string().regex(/^\d+(?:_\d+)?$/);

/**
 * Publishes at once, unless hidden: then only people who manage the Page see the post.
 * @see https://developers.facebook.com/docs/graph-api/reference/page/feed
 */
export function createPostRequest(
  token: string,
  pageId: string,
  post: { message: string; link: string | null; photoIds: string[]; isHidden: boolean },
): Request {
  const attached = post.photoIds.map((photoId, index): [string, string] => [
    `attached_media[${index}]`,
    JSON.stringify({ media_fbid: photoId }),
  ]);
  const form = {
    ...(post.message === "" ? {} : { message: post.message }),
    ...(post.link === null ? {} : { link: post.link }),
    ...Object.fromEntries(attached),
    published: String(!post.isHidden),
  };
  return graph(versioned(pageId, "feed"), { token, form });
}

export const readCreatePostReply = readerOf(field("id", postId));

/**
 * A published photo becomes a post at once; an unpublished one can be attached to a post.
 * @see https://developers.facebook.com/docs/graph-api/reference/page/photos
 */
export function createPhotoRequest(
  token: string,
  pageId: string,
  photo: { url: string; message: string; altText: string; isPublished: boolean },
): Request {
  const form = {
    url: photo.url,
    ...(photo.message === "" ? {} : { message: photo.message }),
    ...(photo.altText === "" ? {} : { alt_text_custom: photo.altText }),
    published: String(photo.isPublished),
  };
  return graph(versioned(pageId, "photos"), { token, form });
}

export const readCreatePhotoReply = readerOf(
  z
    .object({ id, post_id: postId.nullish().catch(null) })
    .transform((body) => body.post_id ?? body.id),
);

export const deletePhotoRequest = (token: string, photoId: string): Request =>
  new Request(graph(versioned(photoId), { token }), { method: "DELETE" });

/** Facebook may send only a path. */
function toPermalink(text: string | null): string | null {
  if (!text || !URL.canParse(text, SITE)) return null;
  const url = new URL(text, SITE);
  const isTheirs = /^(?:[a-z0-9-]+\.)*facebook\.com$/.test(url.hostname);
  return url.protocol === "https:" && isTheirs ? url.href : null;
}

export const addressOf = (...path: string[]): string => [SITE, ...path].join("/");

export const permalink = maybeText.transform(toPermalink);

/** @see https://developers.facebook.com/docs/graph-api/reference/page-post */
export const getPostRequest = (token: string, id: string): Request =>
  graph(versioned(id), { token, query: { fields: "permalink_url" } });

export const readGetPostReply = readerOf(field("permalink_url", permalink));

export const getPublishedRequest = (token: string, id: string): Request =>
  graph(versioned(id), {
    token,
    query: { fields: id.includes("_") ? "is_published" : "published" },
  });

const published = z.union([
  z.object({ is_published: z.boolean() }).transform((post) => post.is_published),
  z.object({ published: z.boolean() }).transform((video) => video.published),
]);

export const readGetPublishedReply = readerOf(published);

/** @see https://developers.facebook.com/docs/graph-api/reference/page-post/#deleting */
export const deletePostRequest = (token: string, id: string): Request =>
  new Request(graph(versioned(id), { token }), { method: "DELETE" });

export const readDoneReply = readerOf(deleted);

/** @see https://developers.facebook.com/docs/pages-api/posts#update-a-post */
export const updatePostRequest = (token: string, id: string, message: string): Request =>
  graph(versioned(id), { token, form: { message } });

export const getMessageRequest = (token: string, id: string): Request =>
  graph(versioned(id), { token, query: { fields: "message" } });

export const readGetMessageReply = readerOf(
  z.object({ message: maybeText }).transform((post) => post.message ?? ""),
);

const attachment = z.object({
  media_type: maybeText,
  subattachments: z
    .object({ data: z.array(z.unknown()) })
    .nullish()
    .catch(null),
});

const listedPost = z.object({
  id: postId,
  message: maybeText,
  created_time: maybeText,
  permalink_url: permalink,
  attachments: z
    .object({ data: z.array(attachment) })
    .nullish()
    .catch(null),
});

export type ListedPost = z.infer<typeof listedPost>;

export function countPhotos({ attachments }: ListedPost): number {
  const [first] = attachments?.data ?? [];
  if (first?.media_type === "album") return first.subattachments?.data.length ?? 0;
  return first?.media_type === "photo" ? 1 : 0;
}

/**
 * @param after the cursor that the previous list returned
 * @see https://developers.facebook.com/docs/graph-api/reference/page/published_posts
 */
export function listPostsRequest(
  token: string,
  pageId: string,
  since: Date,
  after: string | null,
): Request {
  const query = {
    fields:
      "id,message,created_time,permalink_url,attachments{media_type,subattachments{media_type}}",
    since: String(Math.floor(since.getTime() / 1_000)),
    limit: String(LIST_LIMIT),
    ...(after === null ? {} : { after }),
  };
  return graph(versioned(pageId, "published_posts"), { token, query });
}

const paging = z
  .object({
    next: maybeText,
    cursors: z
      .object({ after: z.string().max(1_000).nullish().catch(null) })
      .nullish()
      .catch(null),
  })
  .nullish()
  .catch(null);

export interface PostList {
  posts: ListedPost[];
  /** A short list is not always the last. */
  isLast: boolean;
  after: string | null;
}

/** Newest first. */
export const readListPostsReply = readerOf(
  z.object({ data: z.array(listedPost), paging }).transform(({ data, paging }) => ({
    posts: data,
    isLast: data.length === 0 || !paging?.next,
    after: paging?.cursors?.after ?? null,
  })),
);

const picture = z
  .object({ data: z.object({ url: z.string() }) })
  .nullish()
  .catch(null);

export const page = z.object({
  id,
  name: z.string().min(1),
  username: z.string().min(1).nullish().catch(null),
  picture,
});

export type Page = z.infer<typeof page>;

export const PROFILE = "id,name,username,picture.type(large){url}";

/** Asks for `category`, which only Pages have, so that Facebook refuses a person's token. */
export const getMeRequest = (token: string): Request =>
  graph(versioned("me"), { token, query: { fields: `category,${PROFILE}` } });

export const readGetMeReply = readerOf(page);

/** @see https://developers.facebook.com/docs/pages-api/getting-started */
export const getPageRequest = (token: string, pageId: string): Request =>
  graph(versioned(pageId), { token, query: { fields: `access_token,${PROFILE}` } });

const pageWithToken = page.extend({ access_token: z.string().min(1).nullish() });

/** `access_token` is missing when the caller may not act as the Page. */
export const readGetPageReply = readerOf(pageWithToken);
