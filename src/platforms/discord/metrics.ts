import { ok, refuse } from "../../core/result.ts";
import { DAY } from "../../core/time.ts";
import { inTurns, isLasting, NO_COUNTERS, oddPosts, readPosts } from "../kit/metrics.ts";
import { failed } from "../kit/refusals.ts";
import type {
  MeasuredPost,
  MetricsJob,
  MetricsPage,
  MetricsReader,
  MetricsReading,
  OwnPost,
} from "../metrics.ts";
import {
  getGuildRequest,
  getMessageRequest,
  LIST_LIMIT,
  listMessagesRequest,
  type MeasuredMessage,
  measured,
  readAnyListReply,
  readMeasuredReply,
  readMemberCountReply,
} from "./api.ts";
import { EACH, METRICS_PAGE } from "./capabilities.ts";
import { isMessageGone, NO_HISTORY, toRefused } from "./failures.ts";
import { readPlace, type Sender, send, senderOf, timeOf } from "./sender.ts";

/** Older posts are not read: reactions come within days. */
const MAX_AGE_MS = 29 * DAY;
/** Others write into the channel too, and a bot gets 100 messages a page. */
const MAX_PAGES = 5;

/** The server's members. A webhook is not told how many there are. */
export async function readFollowers(job: MetricsJob): MetricsReading<number | null> {
  const sender = senderOf(job);
  if (sender.kind === "webhook") return ok(null);
  const reply = await readMemberCountReply(await send(job, getGuildRequest(sender)));
  return reply.ok ? reply : refuse(toRefused(reply.error, job.now()));
}

const oldestRead = (job: MetricsJob): number => job.now().getTime() - MAX_AGE_MS;

const isThreaded = ({ id }: OwnPost): boolean => readPlace(id).threadId !== null;

const toPost = ({ isReply: _, ...own }: OwnPost, { reactions }: MeasuredMessage): MeasuredPost => ({
  ...own,
  counters: {
    ...NO_COUNTERS,
    likes: reactions.reduce<number | null>(
      (sum, { count }) => (sum === null || count === null ? null : sum + count),
      0,
    ),
  },
});

/** A bot lists its channel. Messages in threads, and those of a webhook, are read one by one. */
export const readPage: MetricsReader["readPage"] = async (job, cursor) => {
  const sender = senderOf(job);
  const recent = job.own.filter(({ publishedAt }) => publishedAt.getTime() >= oldestRead(job));
  if (cursor?.startsWith(EACH)) {
    const singles = sender.kind === "bot" ? recent.filter(isThreaded) : recent;
    return readEach(job, sender, singles, Number(cursor.slice(EACH.length)));
  }
  if (sender.kind === "webhook") {
    return ok({ posts: [], cursor: recent.length > 0 ? `${EACH}0` : null });
  }
  const page = await readList(job, sender, cursor);
  const isLast = page.ok && page.value.cursor === null && recent.some(isThreaded);
  return isLast ? ok({ ...page.value, cursor: `${EACH}0` }) : page;
};

async function readList(
  job: MetricsJob,
  { token, channelId }: Extract<Sender, { kind: "bot" }>,
  cursor: string | null,
): MetricsReading<MetricsPage> {
  const [pages = "0", before = null] = cursor?.split(" ") ?? [];
  const request = listMessagesRequest(token, channelId, before);
  const reply = await readAnyListReply(await send(job, request));
  if (!reply.ok) return refuse(toRefused(reply.error, job.now()));
  if (reply.value.length === 0 && before === null && job.own.some((post) => !isThreaded(post))) {
    return refuse(failed("unknown", NO_HISTORY));
  }
  const own = new Map(job.own.map((post) => [post.id, post]));
  const read = readPosts("Discord", reply.value, measured, (message) => {
    const post = own.get(message.id);
    return post ? toPost(post, message) : null;
  });
  const oldest = measured.safeParse(reply.value.at(-1)).data?.id;
  const goesOn =
    reply.value.length === LIST_LIMIT &&
    oldest !== undefined &&
    timeOf(oldest) >= oldestRead(job) &&
    Number(pages) + 1 < MAX_PAGES;
  return ok({ ...read, cursor: goesOn ? `${Number(pages) + 1} ${oldest}` : null });
}

async function readEach(
  job: MetricsJob,
  sender: Sender,
  posts: readonly OwnPost[],
  from: number,
): MetricsReading<MetricsPage> {
  const next = from + METRICS_PAGE;
  const page = posts.slice(from, next);
  const replies = await inTurns(page, async ({ id }) => {
    const request = getMessageRequest(sender, readPlace(id));
    return readMeasuredReply(await send(job, request));
  });
  const read: MeasuredPost[] = [];
  let odd = 0;
  for (const [i, post] of page.entries()) {
    const reply = replies[i];
    if (reply?.ok) read.push(toPost(post, reply.value));
    else if (reply && !isMessageGone(reply.error, readPlace(post.id).threadId)) {
      const refused = toRefused(reply.error, job.now());
      if (reply.error.status >= 300 && !isLasting(refused)) return refuse(refused);
      odd++;
    }
  }
  const problems = odd > 0 ? [oddPosts("Discord", odd)] : [];
  return ok({ posts: read, cursor: next < posts.length ? EACH + next : null, problems });
}
