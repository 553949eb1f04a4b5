import { ok, refuse } from "../../core/result.ts";
import { DAY } from "../../core/time.ts";
import { inTurns, NO_COUNTERS, oddPosts } from "../kit/metrics.ts";
import type { MeasuredPost, MetricsJob, MetricsReader, MetricsReading } from "../metrics.ts";
import {
  getGuildRequest,
  getMessageRequest,
  readMemberCountReply,
  readReactionsReply,
} from "./api.ts";
import { METRICS_PAGE } from "./capabilities.ts";
import { isMessageGone, isTemporary, toRefused } from "./failures.ts";
import { readPlace, send, senderOf } from "./sender.ts";

/** Older posts are not read, because each takes a call. */
const MAX_AGE_MS = 29 * DAY;

/** The server's members. A webhook is not told how many there are. */
export async function readFollowers(job: MetricsJob): MetricsReading<number | null> {
  const sender = senderOf(job);
  if (sender.kind === "webhook") return ok(null);
  const { token } = sender;
  const reply = await readMemberCountReply(await send({ ...job, token }, getGuildRequest(sender)));
  return reply.ok ? reply : refuse(toRefused(reply.error, job.now()));
}

export const readPage: MetricsReader["readPage"] = async (job, cursor) => {
  const sender = senderOf(job);
  const since = job.now().getTime() - MAX_AGE_MS;
  const recent = job.own.filter(({ publishedAt }) => publishedAt.getTime() >= since);
  const from = Number(cursor ?? 0);
  const page = recent.slice(from, from + METRICS_PAGE);
  const replies = await inTurns(page, async ({ id }) => {
    const request = getMessageRequest(sender, readPlace(id));
    return readReactionsReply(await send({ ...job, token: sender.token }, request));
  });
  const posts: MeasuredPost[] = [];
  let odd = 0;
  for (const [i, { isReply: _, ...own }] of page.entries()) {
    const reply = replies[i];
    if (reply?.ok) {
      const counts = reply.value.reactions.map(({ count }) => count);
      const likes = counts.reduce(
        (sum, count) => (sum === null || count === null ? null : sum + count),
        0 as number | null,
      );
      posts.push({ ...own, counters: { ...NO_COUNTERS, likes } });
    } else if (reply && !isMessageGone(reply.error, readPlace(own.id).threadId)) {
      const isOdd = reply.error.status < 300;
      if (!isOdd && (isTemporary(reply.error) || reply.error.status === 401)) {
        return refuse(toRefused(reply.error, job.now()));
      }
      odd++;
    }
  }
  const [first] = replies;
  if (first && !first.ok && posts.length === 0 && odd > 0) {
    return refuse(toRefused(first.error, job.now()));
  }
  const isLast = recent.length <= from + METRICS_PAGE;
  const problems = odd > 0 ? [oddPosts("Discord", odd)] : [];
  return ok({ posts, cursor: isLast ? null : String(from + METRICS_PAGE), problems });
};
