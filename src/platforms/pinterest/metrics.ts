import * as z from "zod";
import { ok, refuse } from "../../core/result.ts";
import { DAY } from "../../core/time.ts";
import { counter, isLasting, list, readPosts } from "../kit/metrics.ts";
import { field, maybeText } from "../kit/shapes.ts";
import type { MeasuredPost, MetricsJob, MetricsReader, MetricsReading } from "../metrics.ts";
import { get, isOwn, PIN_ID, readerOf, toInstant } from "./api.ts";
import { toRefused } from "./failures.ts";

/** Pinterest allows up to 250 pins. */
const PAGE = 50;
/** Maximum without today. Source: Pinterest, "Get multiple Pin analytics". */
const REPORT_DAYS = 89;

const readFollowersReply = readerOf(field("follower_count", counter));

export async function readFollowers(job: MetricsJob): MetricsReading<number | null> {
  const reply = await readFollowersReply(await job.fetch(get("/user_account", job.accessToken)));
  return reply.ok ? reply : refuse(toRefused(reply.error, job.now()));
}

const readPinsReply = readerOf(z.object({ items: list, bookmark: maybeText }));

const pin = z.object({
  id: PIN_ID,
  title: maybeText,
  description: maybeText,
  parent_pin_id: maybeText,
  created_at: z
    .string()
    .transform((text) => new Date(toInstant(text)))
    .refine((at) => !Number.isNaN(at.getTime())),
  is_owner: z.boolean().nullish(),
  /** Pins from before 2023-03-20 may have none. Source: Pinterest, "List Pins". */
  pin_metrics: z
    .object({
      lifetime_metrics: z
        .object({ impression: counter, save: counter, reaction: counter, comment: counter })
        .nullish(),
    })
    .nullish(),
});

/** Reactions count as likes, saves as shares. */
export const readPage: MetricsReader["readPage"] = async (job, cursor) => {
  const query = new URLSearchParams({
    page_size: String(PAGE),
    pin_metrics: "true",
    pin_filter: "exclude_repins",
    ...(cursor === null ? {} : { bookmark: cursor }),
  });
  const reply = await readPinsReply(await job.fetch(get("/pins", job.accessToken, query)));
  if (!reply.ok) return refuse(toRefused(reply.error, job.now()));
  const { items, bookmark } = reply.value;
  const read = readPosts("Pinterest", items, pin, toPost);
  const saved = await withSaves(job, read.posts);
  if (!saved.ok) return saved;
  const { posts, problems } = saved.value;
  return ok({ posts, cursor: bookmark || null, problems: [...read.problems, ...problems] });
};

function toPost(own: z.infer<typeof pin>): MeasuredPost | null {
  if (!isOwn(own)) return null;
  const lifetime = own.pin_metrics?.lifetime_metrics;
  return {
    id: own.id,
    publishedAt: own.created_at,
    text: [own.title, own.description].filter(Boolean).join("\n"),
    url: `https://www.pinterest.com/pin/${own.id}/`,
    counters: {
      views: lifetime?.impression ?? null,
      likes: lifetime?.reaction ?? null,
      comments: lifetime?.comment ?? null,
      shares: lifetime?.save ?? null,
    },
  };
}

const report = z.record(
  z.string(),
  z.object({
    all: z.object({
      summary_metrics: z
        .object({ SAVE: counter })
        .nullish()
        .transform((metrics) => metrics?.SAVE ?? null),
    }),
  }),
);

const readReportReply = readerOf(report);

const toDate = (at: number): string => new Date(at).toISOString().slice(0, "2026-11-23".length);

/** Only pins young enough for the report get saves. */
async function withSaves(
  job: MetricsJob,
  posts: readonly MeasuredPost[],
): MetricsReading<{ posts: MeasuredPost[]; problems: string[] }> {
  const now = job.now().getTime();
  const since = now - REPORT_DAYS * DAY;
  const ids = posts.flatMap(({ id, publishedAt, counters: { views, shares } }) =>
    views !== null && shares === null && publishedAt.getTime() >= since ? [id] : [],
  );
  if (ids.length === 0) return ok({ posts: [...posts], problems: [] });
  const query = new URLSearchParams({
    pin_ids: ids.join(","),
    metric_types: "SAVE",
    app_types: "ALL",
    start_date: toDate(since),
    end_date: toDate(now),
  });
  const request = get("/pins/analytics", job.accessToken, query);
  const reply = await readReportReply(await job.fetch(request));
  if (!reply.ok) {
    const refused = toRefused(reply.error, job.now());
    if (!isLasting(refused)) return refuse(refused);
    const problem = `Pinterest gave no saves for ${ids.length} pins.`;
    return ok({ posts: [...posts], problems: [problem] });
  }
  const saves = reply.value;
  return ok({
    posts: posts.map((post) => {
      const shares = post.counters.shares ?? saves[post.id]?.all.summary_metrics ?? null;
      return { ...post, counters: { ...post.counters, shares } };
    }),
    problems: [],
  });
}
