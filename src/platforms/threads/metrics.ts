import * as z from "zod";
import { ok, refuse } from "../../core/result.ts";
import { instant, list, NO_COUNTERS, readPosts } from "../kit/metrics.ts";
import { maybeText } from "../kit/shapes.ts";
import { graphApi, graphId } from "../meta/graph.ts";
import { type Insights, insightsReply, withInsights } from "../meta/insights.ts";
import type { MetricsJob, MetricsPage, MetricsReading, PostCounters } from "../metrics.ts";
import { GRAPH } from "./api.ts";
import { apiVersion } from "./capabilities.ts";
import { judge } from "./failures.ts";

const { graph, versioned, readerOf } = graphApi("Threads", GRAPH, apiVersion.version);

const { toRefused } = judge;

/** Posts of a page: each is a call of its own beside the list. */
const PAGE = 20;
const REPOST = "REPOST_FACADE";

const readInsightsReply = readerOf(insightsReply);

export async function readFollowers(job: MetricsJob): MetricsReading<number | null> {
  const request = graph(versioned(job.account.platformAccountId, "threads_insights"), {
    ...{ token: job.accessToken, query: { metric: "followers_count" } },
  });
  const reply = await readInsightsReply(await job.fetch(request));
  if (!reply.ok) return refuse(toRefused(reply.error, job.now()));
  return ok(reply.value.get("followers_count") ?? null);
}

const readPageReply = readerOf(
  z.object({
    data: list,
    paging: z.object({ cursors: z.object({ after: maybeText }).optional() }).optional(),
  }),
);

const post = z.object({
  ...{ id: graphId, media_type: maybeText, text: maybeText, permalink: maybeText },
  timestamp: instant,
});

/** A page of the account's posts, reposts left out: those have no figures of their own. */
export async function readPage(
  job: MetricsJob,
  cursor: string | null,
): MetricsReading<MetricsPage> {
  const token = job.accessToken;
  const query = {
    fields: "id,media_type,permalink,text,timestamp",
    limit: String(PAGE),
    ...(cursor === null ? {} : { after: cursor }),
  };
  const request = graph(versioned("me", "threads"), { token, query });
  const reply = await readPageReply(await job.fetch(request));
  if (!reply.ok) return refuse(toRefused(reply.error, job.now()));
  const { data, paging } = reply.value;
  const listed = readPosts(
    "Threads",
    data,
    post,
    ({ id, media_type, text, permalink, timestamp }) =>
      media_type === REPOST
        ? null
        : { id, text: text ?? "", url: permalink, publishedAt: timestamp, counters: NO_COUNTERS },
  );
  const told = await withInsights(job.fetch, listed.posts, {
    platform: "Threads",
    request: ({ id }) =>
      graph(versioned(id, "insights"), {
        ...{ token, query: { metric: "views,likes,replies,reposts,quotes,shares" } },
      }),
    read: readInsightsReply,
    toRefused: (refusal) => toRefused(refusal, job.now()),
    toCounters,
  });
  if (!told.ok) return told;
  const { posts, problems } = told.value;
  const after = data.length > 0 ? (paging?.cursors?.after ?? null) : null;
  return ok({ posts, cursor: after, problems: [...listed.problems, ...problems] });
}

/** Shares are reposts, quotes and what was sent on. Spec is silent on Threads. */
function toCounters(insights: Insights): PostCounters {
  const sent = ["reposts", "quotes", "shares"].map((name) => insights.get(name) ?? null);
  const isUntold = sent.every((count) => count === null);
  return {
    views: insights.get("views") ?? null,
    likes: insights.get("likes") ?? null,
    comments: insights.get("replies") ?? null,
    shares: isUntold ? null : sent.reduce<number>((sum, count) => sum + (count ?? 0), 0),
  };
}
