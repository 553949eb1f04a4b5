import * as z from "zod";
import { ok, refuse } from "../../core/result.ts";
import { DAY } from "../../core/time.ts";
import { counter, list, NO_COUNTERS, readPosts } from "../kit/metrics.ts";
import { field, maybeText } from "../kit/shapes.ts";
import type {
  MeasuredPost,
  MetricsJob,
  MetricsReader,
  MetricsReading,
  PostCounters,
} from "../metrics.ts";
import { encodeUrn, get, readerOf } from "./api.ts";
import { toRefused } from "./failures.ts";
import { readLittleText } from "./little-text.ts";
import { isPostUrn, LISTED_POSTS, listPostsRequest } from "./posts-api.ts";
import { shareUrlOf } from "./urn.ts";

const readFollowersReply = readerOf(field("firstDegreeSize", counter));

export async function readFollowers(job: MetricsJob): MetricsReading<number | null> {
  const page = encodeUrn(job.account.platformAccountId);
  const path = `networkSizes/${page}?edgeType=COMPANY_FOLLOWED_BY_MEMBER`;
  const reply = await readFollowersReply(await job.fetch(get(path, job.accessToken)));
  return reply.ok ? reply : refuse(toRefused(reply.error, job.now()));
}

const readElementsReply = readerOf(field("elements", list));

const millis = z
  .number()
  .int()
  .min(0)
  .nullish()
  .transform((at) => at ?? null);

const listed = z
  .object({
    id: z.string().refine(isPostUrn),
    commentary: maybeText,
    lifecycleState: maybeText,
    publishedAt: millis,
    createdAt: millis,
  })
  .transform((post) => ({ ...post, at: post.publishedAt ?? post.createdAt }));

/** A withdrawn like of an advertisement counts as -1. Source: LinkedIn, "Share Statistics". */
const likes = z
  .number()
  .int()
  .transform((count) => Math.max(0, count))
  .or(counter)
  .nullish()
  .transform((count) => count ?? null);

const statistics = z.object({
  share: maybeText,
  ugcPost: maybeText,
  totalShareStatistics: z.object({
    impressionCount: counter,
    likeCount: likes,
    commentCount: counter,
    shareCount: counter,
  }),
});

/** LinkedIn's figures cover twelve months. Source: LinkedIn, "Share Statistics". */
const COUNTED_MS = 365 * DAY;
/** LinkedIn's figures omit posts without views. */
const NOTHING: PostCounters = { views: 0, likes: 0, comments: 0, shares: 0 };

/** Figures do not include advertising. */
export const readPage: MetricsReader["readPage"] = async (job, cursor) => {
  const start = Number(cursor ?? 0);
  const request = listPostsRequest(job.accessToken, job.account.platformAccountId, start);
  const reply = await readElementsReply(await job.fetch(request));
  if (!reply.ok) return refuse(toRefused(reply.error, job.now()));
  const read = readPosts("LinkedIn", reply.value, listed, (post) => toPost(post));
  const answer = await figuresOf(job, read.posts);
  if (!answer.ok) return answer;
  const { figures, problems } = answer.value;
  const since = job.now().getTime() - COUNTED_MS;
  const posts = read.posts.flatMap((post) => {
    const counters = figures.get(post.id);
    if (counters) return [{ ...post, counters }];
    // LinkedIn has no figures for older posts, which keep their last ones.
    return post.publishedAt.getTime() < since ? [] : [{ ...post, counters: NOTHING }];
  });
  const isLast = reply.value.length < LISTED_POSTS;
  return ok({
    posts,
    cursor: isLast ? null : String(start + reply.value.length),
    problems: [...read.problems, ...problems],
  });
};

function toPost({ id, commentary, lifecycleState, at }: z.infer<typeof listed>) {
  if (at === null || (lifecycleState ?? "PUBLISHED") !== "PUBLISHED") return null;
  const text = readLittleText(commentary ?? "");
  return { id, text, url: shareUrlOf(id), publishedAt: new Date(at), counters: NO_COUNTERS };
}

interface Figures {
  figures: ReadonlyMap<string, PostCounters>;
  problems: string[];
}

async function figuresOf(job: MetricsJob, posts: readonly MeasuredPost[]): MetricsReading<Figures> {
  const figures = new Map<string, PostCounters>();
  const problems: string[] = [];
  for (const [parameter, kind] of [
    ["shares", ":share:"],
    ["ugcPosts", ":ugcPost:"],
  ] as const) {
    const ids = posts.flatMap(({ id }) => (id.includes(kind) ? [id] : []));
    if (ids.length === 0) continue;
    const reply = await readElementsReply(await job.fetch(figuresRequest(job, parameter, ids)));
    if (!reply.ok) return refuse(toRefused(reply.error, job.now()));
    const read = reply.value.map((element) => statistics.safeParse(element).data);
    const odd = read.filter((element) => element === undefined).length;
    if (odd > 0) problems.push(`LinkedIn answered with figures that cannot be read, ${odd} times.`);
    for (const element of read) {
      const id = element?.share ?? element?.ugcPost;
      if (element && id) figures.set(id, toCounters(element));
    }
  }
  return ok({ figures, problems });
}

/** @see https://learn.microsoft.com/linkedin/marketing/community-management/organizations/share-statistics */
function figuresRequest(job: MetricsJob, parameter: string, ids: readonly string[]): Request {
  const page = encodeUrn(job.account.platformAccountId);
  // LinkedIn wants the list's parentheses and commas unencoded.
  const posts = `${parameter}=List(${ids.map(encodeUrn).join(",")})`;
  const path = `organizationalEntityShareStatistics?q=organizationalEntity&organizationalEntity=${page}&${posts}`;
  return get(path, job.accessToken);
}

const toCounters = ({
  totalShareStatistics: totals,
}: z.infer<typeof statistics>): PostCounters => ({
  views: totals.impressionCount,
  likes: totals.likeCount,
  comments: totals.commentCount,
  shares: totals.shareCount,
});
