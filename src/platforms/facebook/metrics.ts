import * as z from "zod";
import { ok, refuse } from "../../core/result.ts";
import { counter, instant, isLasting, list, readPosts } from "../kit/metrics.ts";
import { field, maybeText } from "../kit/shapes.ts";
import { insightsReply } from "../meta/insights.ts";
import type { MeasuredPost, MetricsJob, MetricsReader, MetricsReading } from "../metrics.ts";
import { graph, permalink, readerOf, versioned } from "./api.ts";
import { toRefused } from "./failures.ts";

/** Facebook allows up to 100 posts. */
const PAGE = 50;

const readFollowersReply = readerOf(field("followers_count", counter));

export async function readFollowers(job: MetricsJob): MetricsReading<number | null> {
  const request = graph(versioned(job.account.platformAccountId), {
    token: job.accessToken,
    query: { fields: "followers_count" },
  });
  const reply = await readFollowersReply(await job.fetch(request));
  return reply.ok ? reply : refuse(toRefused(reply.error));
}

const FIELDS = [
  "id,message,created_time,permalink_url,shares,attachments{target{id}}",
  "reactions.limit(0).summary(total_count)",
  "comments.limit(0).summary(total_count)",
].join(",");

/** Replaces impressions, a metric that ended in 2026. Source: Meta, "Page Insights", posts. */
const VIEWS = "post_media_view";

const readPageReply = readerOf(
  z.object({
    data: list,
    paging: z
      .object({ next: maybeText, cursors: z.object({ after: maybeText }).nullish() })
      .nullish(),
  }),
);

const total = z
  .object({ summary: z.object({ total_count: counter }) })
  .nullish()
  .transform((edge) => edge?.summary.total_count ?? null);

const attachments = z
  .object({ data: z.array(z.object({ target: z.object({ id: z.string() }).nullish() })) })
  .nullish()
  .catch(null);

const post = z.object({
  id: z.string().regex(/^\d+_\d+$/),
  message: maybeText,
  created_time: instant,
  permalink_url: permalink,
  attachments,
  reactions: total,
  comments: total,
  /** Missing until the first share. */
  shares: z.object({ count: counter }).nullish(),
  insights: insightsReply.nullish(),
});

type Listed = z.infer<typeof post>;

/** Contains the id that publishing returned. */
const VIDEO_ADDRESS = /\/(?:videos|reel)\/(?:[^/]+\/)?(\d+)\/?$/;

function idOf({ id, permalink_url, attachments: attached }: Listed, own: ReadonlySet<string>) {
  const target = attached?.data[0]?.target?.id ?? "";
  if (own.has(id) || !own.has(target)) {
    const path = permalink_url === null ? "" : new URL(permalink_url).pathname;
    return VIDEO_ADDRESS.exec(path)?.[1] ?? id;
  }
  return target;
}

/** One post without views makes Facebook refuse the whole list, which is then read without views. */
export const readPage: MetricsReader["readPage"] = async (job, cursor) => {
  const pageOf = async (fields: string) => {
    const query = { fields, limit: String(PAGE), ...(cursor === null ? {} : { after: cursor }) };
    const place = versioned(job.account.platformAccountId, "published_posts");
    return readPageReply(await job.fetch(graph(place, { token: job.accessToken, query })));
  };
  const whole = await pageOf(`${FIELDS},insights.metric(${VIEWS})`);
  const hasViews = whole.ok || !isLasting(toRefused(whole.error));
  const reply = hasViews ? whole : await pageOf(FIELDS);
  if (!reply.ok) return refuse(toRefused(reply.error));
  const { data, paging } = reply.value;
  const own = new Set(job.own.map(({ id }) => id));
  const read = readPosts("Facebook", data, post, (listed) => toPost(listed, own));
  const missingViews = hasViews ? [] : [`Facebook gave no views for ${data.length} posts.`];
  const after = paging?.next ? (paging.cursors?.after ?? null) : null;
  return ok({ posts: read.posts, cursor: after, problems: [...read.problems, ...missingViews] });
};

const toPost = (listed: Listed, own: ReadonlySet<string>): MeasuredPost => ({
  id: idOf(listed, own),
  publishedAt: listed.created_time,
  text: listed.message ?? "",
  url: listed.permalink_url,
  counters: {
    // Facebook gives no views for Pages with fewer than 100 likes.
    views: listed.insights?.get(VIEWS) ?? null,
    likes: listed.reactions,
    comments: listed.comments,
    shares: listed.shares?.count ?? 0,
  },
});
