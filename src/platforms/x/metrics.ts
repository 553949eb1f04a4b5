import * as z from "zod";
import { ok, refuse } from "../../core/result.ts";
import { DAY } from "../../core/time.ts";
import { counter, instant, list, readPosts } from "../kit/metrics.ts";
import { field } from "../kit/shapes.ts";
import type { MetricsJob, MetricsReader, MetricsReading } from "../metrics.ts";
import { call, dataReaderOf, readerOf } from "./api.ts";
import { toRefused } from "./failures.ts";

/** Older posts are not read, because X charges for each. Source: spec, "Collection schedule". */
const MAX_AGE_MS = 29 * DAY;
/** X allows up to 100. */
const PAGE = 50;

const readFollowersReply = dataReaderOf(field("public_metrics", field("followers_count", counter)));

export async function readFollowers(job: MetricsJob): MetricsReading<number | null> {
  const request = call("GET", "/2/users/me?user.fields=public_metrics", job.accessToken);
  const reply = await readFollowersReply(await job.fetch(request));
  return reply.ok ? reply : refuse(toRefused(reply.error, job.now()));
}

/** X lists deleted posts in `errors`, with HTTP 200. */
const readPostsReply = readerOf(z.object({ data: list, errors: list }));

const post = z.object({
  id: z.string().regex(/^\d+$/),
  text: z.string(),
  created_at: instant,
  public_metrics: z.object({
    impression_count: counter,
    like_count: counter,
    reply_count: counter,
    // X's specification 2.167 renames `retweet_count` to `repost_count`.
    retweet_count: counter,
    repost_count: counter,
    quote_count: counter,
  }),
});

export const readPage: MetricsReader["readPage"] = async (job, cursor) => {
  const since = job.now().getTime() - MAX_AGE_MS;
  const ids = job.own.flatMap(({ id, publishedAt }) =>
    publishedAt.getTime() >= since && /^\d+$/.test(id) ? [id] : [],
  );
  const from = Number(cursor ?? 0);
  const page = ids.slice(from, from + PAGE);
  if (page.length === 0) return ok({ posts: [], cursor: null });
  const query = `ids=${page.join(",")}&tweet.fields=created_at,public_metrics`;
  const request = call("GET", `/2/tweets?${query}`, job.accessToken);
  const reply = await readPostsReply(await job.fetch(request));
  if (!reply.ok) return refuse(toRefused(reply.error, job.now()));
  const urls = new Map(job.own.map(({ id, url }) => [id, url]));
  const read = readPosts(
    "X",
    reply.value.data,
    post,
    ({ id, text, created_at, public_metrics }) => ({
      id,
      text,
      publishedAt: created_at,
      url: urls.get(id) ?? null,
      counters: {
        views: public_metrics.impression_count,
        likes: public_metrics.like_count,
        comments: public_metrics.reply_count,
        shares: sharesOf(public_metrics),
      },
    }),
  );
  return ok({ ...read, cursor: ids.length > from + PAGE ? String(from + PAGE) : null });
};

function sharesOf(counts: z.infer<typeof post>["public_metrics"]): number | null {
  const reposts = counts.retweet_count ?? counts.repost_count;
  const { quote_count: quotes } = counts;
  return reposts === null && quotes === null ? null : (reposts ?? 0) + (quotes ?? 0);
}
