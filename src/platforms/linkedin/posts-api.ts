import * as z from "zod";
import { ok } from "../../core/result.ts";
import { encodeUrn, get, post, type Reading, readDoneReply, readerOf, remove } from "./api.ts";

type Visibility = "PUBLIC" | "CONNECTIONS";

export type PostContent =
  | { media: { id: string; title?: string; altText?: string } }
  | { multiImage: { images: { id: string; altText?: string }[] } };

export interface NewPost {
  author: string;
  commentary: string;
  visibility: Visibility;
  content: PostContent | null;
}

/** @see https://learn.microsoft.com/linkedin/marketing/community-management/shares/posts-api */
export const createPostRequest = (
  accessToken: string,
  { author, commentary, visibility, content }: NewPost,
): Request =>
  post("posts", accessToken, {
    author,
    commentary,
    visibility,
    distribution: {
      feedDistribution: "MAIN_FEED",
      targetEntities: [],
      thirdPartyDistributionChannels: [],
    },
    lifecycleState: "PUBLISHED",
    isReshareDisabledByAuthor: false,
    ...(content ? { content } : {}),
  });

const POST_URN = /^urn:li:(?:share|ugcPost):\d{1,25}$/;

export const isPostUrn = (text: string): boolean => POST_URN.test(text);

function readPostUrn(header: string | null): string | null {
  const urn = header?.trim().replaceAll("%3A", ":") ?? "";
  return isPostUrn(urn) ? urn : null;
}

/** Only a response header has the new post's URN. */
export async function readCreatePostReply(reply: Response): Reading<string | null> {
  const urn = readPostUrn(reply.headers.get("x-restli-id"));
  const read = await readDoneReply(reply);
  return read.ok ? ok(urn) : read;
}

/** @see https://learn.microsoft.com/linkedin/marketing/community-management/shares/posts-api#get-posts-by-urn */
export const getPostRequest = (accessToken: string, urn: string): Request =>
  get(`posts/${encodeUrn(urn)}`, accessToken);

export const readGetPostReply = readerOf(
  z.object({ visibility: z.string().nullish() }).transform((body) => body.visibility ?? null),
);

export const readGetCommentaryReply = readerOf(
  z.object({ commentary: z.string().nullish() }).transform((body) => body.commentary ?? ""),
);

/** @see https://learn.microsoft.com/linkedin/marketing/community-management/shares/posts-api#update-posts */
export const updatePostRequest = (accessToken: string, urn: string, commentary: string): Request =>
  post(
    `posts/${encodeUrn(urn)}`,
    accessToken,
    { patch: { $set: { commentary } } },
    { "x-restli-method": "PARTIAL_UPDATE" },
  );

/**
 * Answers 204 for a deleted post, too.
 * @see https://learn.microsoft.com/linkedin/marketing/community-management/shares/posts-api#delete-posts
 */
export const deletePostRequest = (accessToken: string, urn: string): Request =>
  remove(`posts/${encodeUrn(urn)}`, accessToken);

export const LISTED_POSTS = 50;

export const listPostsRequest = (accessToken: string, author: string, start = 0): Request =>
  get(
    `posts?q=author&author=${encodeUrn(author)}&count=${LISTED_POSTS}&start=${start}&sortBy=CREATED`,
    accessToken,
    { "x-restli-method": "FINDER" },
  );

const optional = <T extends z.ZodType>(shape: T) => shape.nullish().catch(null);

const listedPost = z.object({
  id: z.string(),
  commentary: z.string().nullish(),
  /** Epoch milliseconds. */
  createdAt: optional(z.number()),
  publishedAt: optional(z.number()),
  lifecycleState: optional(z.string()),
  content: optional(
    z.object({
      media: optional(z.object({ id: z.string() })),
      multiImage: optional(z.object({ images: z.array(z.object({ id: z.string() })) })),
    }),
  ),
});

export type ListedPost = z.infer<typeof listedPost>;

const postList = z.object({ elements: z.array(z.unknown()) }).transform(({ elements }) => ({
  count: elements.length,
  posts: elements.flatMap((element) => listedPost.safeParse(element).data ?? []),
}));

export const readListPostsReply = readerOf(postList);

const DUPLICATE = /\bduplicate\b/i;
const NAMED_POST = /urn:li:(?:share|ugcPost):\d{1,25}/;

export const isDuplicate = (message: string): boolean => DUPLICATE.test(message);

export const postNamedIn = (message: string): string | null =>
  NAMED_POST.exec(message)?.[0] ?? null;
