import * as z from "zod";
import { ok, refuse } from "../../core/result.ts";
import { counter, instant, list, readPosts } from "../kit/metrics.ts";
import { replyReader } from "../kit/replies.ts";
import { field, maybeText } from "../kit/shapes.ts";
import type { MetricsJob, MetricsReader, MetricsReading } from "../metrics.ts";
import { getProfileRequest, PUBLIC_API, toXrpcRefusal, xrpc } from "./api.ts";
import { toRefused } from "./failures.ts";

/** Bluesky returns at most 100. */
const PAGE = 50;
/** Posts come with everything they embed. */
const MAX_REPLY_BYTES = 2_000_000;

const { readerOf } = replyReader(MAX_REPLY_BYTES, toXrpcRefusal);

const readFollowersReply = readerOf(field("followersCount", counter));

export async function readFollowers(job: MetricsJob): MetricsReading<number | null> {
  const request = getProfileRequest(job.account.platformAccountId);
  const reply = await readFollowersReply(await job.fetch(request));
  return reply.ok ? reply : refuse(toRefused(reply.error, job.now()));
}

const readFeedReply = readerOf(z.object({ feed: list, cursor: maybeText }));

const feedItem = z.object({
  reason: z.unknown().optional(),
  post: z.object({
    uri: z.string().startsWith("at://"),
    author: z.object({ did: z.string() }),
    record: z.object({ text: maybeText, createdAt: instant, reply: z.unknown().optional() }),
    likeCount: counter,
    repostCount: counter,
    replyCount: counter,
    quoteCount: counter,
  }),
});

/** Leaves out replies that were not published by Akimbo. Bluesky counts no views. */
export const readPage: MetricsReader["readPage"] = async (job, cursor) => {
  const { handle, platformAccountId: actor } = job.account;
  const query = {
    actor,
    limit: String(PAGE),
    filter: "posts_and_author_threads",
    ...(cursor === null ? {} : { cursor }),
  };
  const request = xrpc("GET", PUBLIC_API, "app.bsky.feed.getAuthorFeed", { query });
  const reply = await readFeedReply(await job.fetch(request));
  if (!reply.ok) return refuse(toRefused(reply.error, job.now()));
  const own = new Set(job.own.map(({ id }) => id));
  const read = readPosts("Bluesky", reply.value.feed, feedItem, ({ post, reason }) => {
    if (reason !== undefined || post.author.did !== actor) return null;
    if (post.record.reply !== undefined && !own.has(post.uri)) return null;
    const { uri, record, likeCount, repostCount, replyCount, quoteCount } = post;
    return {
      id: uri,
      publishedAt: record.createdAt,
      text: record.text ?? "",
      url: `https://bsky.app/profile/${handle ?? actor}/post/${uri.split("/").at(-1)}`,
      counters: {
        views: null,
        likes: likeCount,
        comments: replyCount,
        shares: sum(repostCount, quoteCount),
      },
    };
  });
  return ok({ ...read, cursor: reply.value.cursor || null });
};

const sum = (a: number | null, b: number | null): number | null =>
  a === null && b === null ? null : (a ?? 0) + (b ?? 0);
