import * as z from "zod";
import { ok, refuse } from "../../core/result.ts";
import { counter, list, NO_COUNTERS } from "../kit/metrics.ts";
import { field } from "../kit/shapes.ts";
import type {
  MeasuredPost,
  MetricsJob,
  MetricsReader,
  MetricsReading,
  PostCounters,
} from "../metrics.ts";
import { encodeUrn, get, readerOf } from "./api.ts";
import { MEASURED_MEMBER_POSTS, MEMBER_POSTS_PER_READ } from "./capabilities.ts";
import { toRefused } from "./failures.ts";

/** LinkedIn gives the number under another permission. */
export const readFollowers: MetricsReader["readFollowers"] = async () => ok(null);

/** Only share and ugcPost have figures. */
const POST = /^urn:li:(share|ugcPost):\d{1,25}$/;

const ENTITY_NAMES = { share: "share", ugcPost: "ugc" } as const;

const QUERY_TYPES = {
  views: "IMPRESSION",
  likes: "REACTION",
  comments: "COMMENT",
  shares: "RESHARE",
} as const satisfies Record<keyof PostCounters, string>;

const METRICS = Object.entries(QUERY_TYPES) as [keyof PostCounters, string][];

/**
 * Reads the instance's own posts, because LinkedIn lists no posts of members. The cursor is the number of posts read.
 */
export const readPage: MetricsReader["readPage"] = async (job, cursor) => {
  const start = Number(cursor ?? 0);
  const own = job.own.filter(({ id }) => POST.test(id)).slice(0, MEASURED_MEMBER_POSTS);
  const end = start + MEMBER_POSTS_PER_READ;
  const posts: MeasuredPost[] = [];
  let unread = 0;
  for (const post of own.slice(start, end)) {
    const counters = await readCounters(job, post.id);
    if (!counters.ok) return counters;
    if (counters.value === null) unread++;
    else posts.push({ ...post, counters: counters.value });
  }
  const problem = `LinkedIn answered with figures that cannot be read, ${unread} times.`;
  return ok({
    posts,
    cursor: end < own.length ? String(end) : null,
    ...(unread > 0 ? { problems: [problem] } : {}),
  });
};

const readElementsReply = readerOf(field("elements", list));

const metricType = z
  .union([
    z.string(),
    // Versions before 202605 name the type inside an object.
    z.record(z.string(), z.string()).transform((types) => Object.values(types)[0] ?? ""),
  ])
  .nullish();

const element = z.object({ count: counter, metricType });

/** Null when an answer is unreadable. An omitted counter is null. */
async function readCounters(job: MetricsJob, urn: string): MetricsReading<PostCounters | null> {
  const counters = { ...NO_COUNTERS };
  for (const [name, queryType] of METRICS) {
    const reply = await readElementsReply(await job.fetch(figureRequest(job, urn, queryType)));
    if (!reply.ok) return refuse(toRefused(reply.error, job.now()));
    const [first] = reply.value;
    if (first === undefined) continue;
    const figure = element.safeParse(first).data;
    if (!figure || (figure.metricType ?? queryType) !== queryType) return ok(null);
    counters[name] = figure.count;
  }
  return ok(counters);
}

/** @see https://learn.microsoft.com/linkedin/marketing/community-management/members/post-statistics */
function figureRequest({ accessToken }: MetricsJob, urn: string, queryType: string): Request {
  const kind = POST.exec(urn)?.[1] as keyof typeof ENTITY_NAMES;
  // LinkedIn wants the parentheses and the first colon unencoded.
  const entity = `(${ENTITY_NAMES[kind]}:${encodeUrn(urn)})`;
  return get(
    `memberCreatorPostAnalytics?q=entity&entity=${entity}&queryType=${queryType}&aggregation=TOTAL`,
    accessToken,
  );
}
