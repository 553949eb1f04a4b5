import * as z from "zod";
import { ok, refuse } from "../../core/result.ts";
import { counter, instant, list, readPosts } from "../kit/metrics.ts";
import { field, maybeText } from "../kit/shapes.ts";
import { graphApi, graphId, unwrapped } from "../meta/graph.ts";
import { insightsReply, withInsights } from "../meta/insights.ts";
import type { MetricsJob, MetricsPage, MetricsReading } from "../metrics.ts";
import { GRAPH } from "./api.ts";
import { apiVersion } from "./capabilities.ts";
import { toRefused } from "./failures.ts";

const { graph, versioned, readerOf } = graphApi("Instagram", GRAPH, apiVersion.version);

/** Posts of a page: each is a call of its own beside the list. */
const PAGE = 20;

const readFollowersReply = readerOf(z.preprocess(unwrapped, field("followers_count", counter)));

export async function readFollowers(job: MetricsJob): MetricsReading<number | null> {
  const request = graph(versioned("me"), {
    ...{ token: job.accessToken, query: { fields: "followers_count" } },
  });
  const reply = await readFollowersReply(await job.fetch(request));
  return reply.ok ? reply : refuse(toRefused(reply.error, job.now()));
}

const page = z.object({
  data: list,
  paging: z.object({ cursors: z.object({ after: maybeText }).optional() }).optional(),
});

const readPageReply = readerOf(page);
const readInsightsReply = readerOf(insightsReply);

const media = z.object({
  ...{ id: graphId, caption: maybeText, permalink: maybeText, timestamp: instant },
  /** Left out where the owner hides it. */
  ...{ like_count: counter, comments_count: counter },
});

/** A page of the account's posts, stories left out. */
export async function readPage(
  job: MetricsJob,
  cursor: string | null,
): MetricsReading<MetricsPage> {
  const token = job.accessToken;
  const query = {
    fields: "id,caption,permalink,timestamp,like_count,comments_count",
    limit: String(PAGE),
    ...(cursor === null ? {} : { after: cursor }),
  };
  const request = graph(versioned(job.account.platformAccountId, "media"), { token, query });
  const reply = await readPageReply(await job.fetch(request));
  if (!reply.ok) return refuse(toRefused(reply.error, job.now()));
  const { data, paging } = reply.value;
  const listed = readPosts("Instagram", data, media, (post) => ({
    ...{ id: post.id, text: post.caption ?? "", url: post.permalink, publishedAt: post.timestamp },
    counters: {
      ...{ views: null, likes: post.like_count, comments: post.comments_count, shares: null },
    },
  }));
  const told = await withInsights(job.fetch, listed.posts, {
    platform: "Instagram",
    request: ({ id }) =>
      graph(versioned(id, "insights"), { token, query: { metric: "views,shares" } }),
    read: readInsightsReply,
    toRefused: (refusal) => toRefused(refusal, job.now()),
    toCounters: (insights, counters) => ({
      ...counters,
      ...{ views: insights.get("views") ?? null, shares: insights.get("shares") ?? null },
    }),
  });
  if (!told.ok) return told;
  const { posts, problems } = told.value;
  const after = data.length > 0 ? (paging?.cursors?.after ?? null) : null;
  return ok({ posts, cursor: after, problems: [...listed.problems, ...problems] });
}
