import * as z from "zod";
import { ok, refuse } from "../../core/result.ts";
import { counter, instant, list, readPosts } from "../kit/metrics.ts";
import { field, maybeText } from "../kit/shapes.ts";
import { graphId, unwrapped } from "../meta/graph.ts";
import { insightsByPost, withInsights } from "../meta/insights.ts";
import type { MeasuredPost, MetricsJob, MetricsReader, MetricsReading } from "../metrics.ts";
import { graph, readerOf, versioned } from "./api.ts";
import { INSIGHT_CALLS } from "./capabilities.ts";
import { toRefused } from "./failures.ts";

/** One call reads at most 50 posts. Source: Meta, "Making Multiple Requests". */
const PAGE = 50;

const readFollowersReply = readerOf(z.preprocess(unwrapped, field("followers_count", counter)));

export async function readFollowers(job: MetricsJob): MetricsReading<number | null> {
  const request = graph(versioned("me"), {
    token: job.accessToken,
    query: { fields: "followers_count" },
  });
  const reply = await readFollowersReply(await job.fetch(request));
  return reply.ok ? reply : refuse(toRefused(reply.error, job.now()));
}

const page = z.object({
  data: list,
  paging: z.object({ cursors: z.object({ after: maybeText }).optional() }).optional(),
});

const readPageReply = readerOf(page);
const readInsightsReply = readerOf(insightsByPost);

const media = z.object({
  id: graphId,
  caption: maybeText,
  permalink: maybeText,
  timestamp: instant,
  /** Missing when the owner hides the likes. */
  like_count: counter,
  comments_count: counter,
});

/** For posts from before the account was professional. Source: Meta, "Error Codes". */
const OLDER_THAN_ACCOUNT = 2108006;
/** Prefix of cursors for pages on which no post has insights. */
const WITHOUT = "without ";

export const readPage: MetricsReader["readPage"] = async (job, cursor) => {
  const isWithout = cursor?.startsWith(WITHOUT) ?? false;
  const place = isWithout ? (cursor ?? "").slice(WITHOUT.length) : cursor;
  const query = {
    fields: "id,caption,permalink,timestamp,like_count,comments_count",
    limit: String(PAGE),
    ...(place === null ? {} : { after: place }),
  };
  const path = versioned(job.account.platformAccountId, "media");
  const request = graph(path, { token: job.accessToken, query });
  const reply = await readPageReply(await job.fetch(request));
  if (!reply.ok) return refuse(toRefused(reply.error, job.now()));
  const { data, paging } = reply.value;
  const listed = readPosts("Instagram", data, media, (post) => ({
    id: post.id,
    text: post.caption ?? "",
    url: post.permalink,
    publishedAt: post.timestamp,
    counters: {
      views: null,
      likes: post.like_count,
      comments: post.comments_count,
      shares: null,
    },
  }));
  const after = data.length > 0 ? (paging?.cursors?.after ?? null) : null;
  if (isWithout) return ok({ ...listed, cursor: after && WITHOUT + after });
  const measured = await addInsights(job, listed.posts);
  if (!measured.ok) return measured;
  const { posts, problems, isEnd } = measured.value;
  const next = after !== null && isEnd ? WITHOUT + after : after;
  return ok({ posts, cursor: next, problems: [...listed.problems, ...problems] });
};

const addInsights = (job: MetricsJob, posts: readonly MeasuredPost[]) =>
  withInsights(posts, {
    platform: "Instagram",
    mostCalls: INSIGHT_CALLS,
    ask: async (ids) => {
      const query = { ids: ids.join(","), metric: "views,shares" };
      const request = graph(versioned("insights"), { token: job.accessToken, query });
      return readInsightsReply(await job.fetch(request));
    },
    toRefused: (refusal) => toRefused(refusal, job.now()),
    endsThere: ({ subcode }) => subcode === OLDER_THAN_ACCOUNT,
    toCounters: (insights, counters) => ({
      ...counters,
      views: insights.get("views") ?? null,
      shares: insights.get("shares") ?? null,
    }),
  });
