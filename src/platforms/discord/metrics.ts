import { ok, refuse } from "../../core/result.ts";
import { NO_COUNTERS, readPosts } from "../kit/metrics.ts";
import { failed } from "../kit/refusals.ts";
import type { MetricsJob, MetricsReader, MetricsReading } from "../metrics.ts";
import { getMemberCount, LIST_LIMIT, listMeasured, measured } from "./api.ts";
import { NO_HISTORY, toRefused } from "./failures.ts";
import { readPlace, senderOf } from "./sender.ts";

/** Others write into the channel too. */
const MAX_PAGES = 5;

const sum = (total: number, count: number | null): number => total + (count ?? 0);

/** The server's members. */
export async function readFollowers(job: MetricsJob): MetricsReading<number | null> {
  const reply = await getMemberCount(senderOf(job));
  return reply.ok ? reply : refuse(toRefused(reply.error, job.now()));
}

/** Lists the bot's channel, not its threads, as far back as its own posts reach. */
export const readPage: MetricsReader["readPage"] = async (job, cursor) => {
  const posts = job.own.filter(({ id }) => readPlace(id).threadId === null);
  if (posts.length === 0) return ok({ posts: [], cursor: null });
  const [pages = "0", before = null] = cursor?.split(" ") ?? [];
  const reply = await listMeasured(senderOf(job), null, before);
  if (!reply.ok) return refuse(toRefused(reply.error, job.now()));
  if (reply.value.length === 0 && before === null) return refuse(failed("unknown", NO_HISTORY));
  const own = new Map(posts.map((post) => [post.id, post]));
  const read = readPosts("Discord", reply.value, measured, ({ id, reactions }) => {
    const post = own.get(id);
    if (!post) return null;
    const { isReply: _, ...shown } = post;
    const counts = reactions.map(({ count }) => count);
    const likes = counts.includes(null) ? null : counts.reduce<number>(sum, 0);
    return { ...shown, counters: { ...NO_COUNTERS, likes } };
  });
  const oldest = measured.safeParse(reply.value.at(-1)).data?.id;
  const goesOn =
    reply.value.length === LIST_LIMIT &&
    oldest !== undefined &&
    posts.some(({ id }) => BigInt(id) < BigInt(oldest)) &&
    Number(pages) + 1 < MAX_PAGES;
  return ok({ ...read, cursor: goesOn ? `${Number(pages) + 1} ${oldest}` : null });
};
