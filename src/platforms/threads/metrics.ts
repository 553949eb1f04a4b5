import * as z from "zod";
import { ok, refuse } from "../../core/result.ts";
import { instant, inTurns, isLasting, list, NO_COUNTERS, readPosts } from "../kit/metrics.ts";
import { maybeText } from "../kit/shapes.ts";
import { graphId } from "../meta/graph.ts";
import { type Insights, insightsReply } from "../meta/insights.ts";
import type {
  MeasuredPost,
  MetricsJob,
  MetricsReader,
  MetricsReading,
  PostCounters,
} from "../metrics.ts";
import { graph, REPOST, readerOf, versioned } from "./api.ts";
import { EACH, EACH_PAGE, OWN_REPLIES } from "./capabilities.ts";
import { judge } from "./failures.ts";

const { toRefused } = judge;

/** Threads allows up to 100. */
const PAGE = 50;

const readInsightsReply = readerOf(insightsReply);

export async function readFollowers(job: MetricsJob): MetricsReading<number | null> {
  const request = graph(versioned(job.account.platformAccountId, "threads_insights"), {
    token: job.accessToken,
    query: { metric: "followers_count" },
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
  id: graphId,
  media_type: maybeText,
  text: maybeText,
  permalink: maybeText,
  timestamp: instant,
  insights: insightsReply.nullish(),
});

const METRICS = "views,likes,replies,reposts,quotes,shares";
const FIELDS = "id,media_type,permalink,text,timestamp";

/** Reposts have no figures. After a refused page, the next call reads its posts one by one. */
export const readPage: MetricsReader["readPage"] = async (job, cursor) => {
  if (cursor?.startsWith(OWN_REPLIES))
    return readReplies(job, Number(cursor.slice(OWN_REPLIES.length)));
  const isEach = cursor?.startsWith(EACH) ?? false;
  const place = isEach ? (cursor ?? "").slice(EACH.length) : (cursor ?? "");
  const query = {
    fields: isEach ? FIELDS : `${FIELDS},insights.metric(${METRICS})`,
    limit: String(isEach ? EACH_PAGE : PAGE),
    ...(place === "" ? {} : { after: place }),
  };
  const request = graph(versioned("me", "threads"), { token: job.accessToken, query });
  const reply = await readPageReply(await job.fetch(request));
  if (!reply.ok) {
    const refused = toRefused(reply.error, job.now());
    if (isEach || !isLasting(refused)) return refuse(refused);
    return ok({ posts: [], cursor: EACH + place });
  }
  const { data, paging } = reply.value;
  const listed = readPosts("Threads", data, post, toPost);
  const measured = isEach
    ? await askEach(job, listed.posts)
    : ok({ posts: listed.posts, missing: 0 });
  if (!measured.ok) return measured;
  const { posts, missing } = measured.value;
  const problems = missing > 0 ? [`Threads gave no figures for ${missing} posts.`] : [];
  const after = data.length > 0 ? (paging?.cursors?.after ?? null) : null;
  const last = job.own.some(({ isReply }) => isReply) ? `${OWN_REPLIES}0` : null;
  return ok({ posts, cursor: after ?? last, problems: [...listed.problems, ...problems] });
};

async function readReplies(job: MetricsJob, from: number): ReturnType<MetricsReader["readPage"]> {
  const replies = job.own.filter(({ isReply }) => isReply);
  const page = replies.slice(from, from + EACH_PAGE);
  const counters = NO_COUNTERS;
  const measured = await askEach(
    job,
    page.map(({ isReply: _, ...post }) => ({ ...post, counters })),
  );
  if (!measured.ok) return measured;
  const { posts } = measured.value;
  const next = from + EACH_PAGE;
  return ok({ posts, cursor: next < replies.length ? OWN_REPLIES + next : null });
}

function toPost({ id, media_type, text, permalink, timestamp, insights }: z.infer<typeof post>) {
  if (media_type === REPOST) return null;
  const counters = insights ? toCounters(insights) : NO_COUNTERS;
  return { id, text: text ?? "", url: permalink, publishedAt: timestamp, counters };
}

async function askEach(
  job: MetricsJob,
  posts: readonly MeasuredPost[],
): MetricsReading<{ posts: MeasuredPost[]; missing: number }> {
  const answers = await inTurns(posts, async ({ id }) => {
    const call = { token: job.accessToken, query: { metric: METRICS } };
    return readInsightsReply(await job.fetch(graph(versioned(id, "insights"), call)));
  });
  const measured: MeasuredPost[] = [];
  for (const [i, own] of posts.entries()) {
    const answer = answers[i];
    if (!answer) continue;
    if (answer.ok) measured.push({ ...own, counters: toCounters(answer.value) });
    else {
      const refused = toRefused(answer.error, job.now());
      if (refused.kind === "token_expired" || refused.failure.code === "rate_limited") {
        return refuse(refused);
      }
    }
  }
  // Posts without an answer keep their last figures.
  return ok({ posts: measured, missing: posts.length - measured.length });
}

/** `shares` adds reposts, quotes and shares. Spec is silent on Threads' counters. */
function toCounters(insights: Insights): PostCounters {
  const sent = ["reposts", "quotes", "shares"].map((name) => insights.get(name) ?? null);
  const isMissing = sent.every((count) => count === null);
  return {
    views: insights.get("views") ?? null,
    likes: insights.get("likes") ?? null,
    comments: insights.get("replies") ?? null,
    shares: isMissing ? null : sent.reduce<number>((sum, count) => sum + (count ?? 0), 0),
  };
}
