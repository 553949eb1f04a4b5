import { addSeconds } from "../../core/time.ts";
import type { Reconciled } from "../connector.ts";
import { comparable } from "../kit/listings.ts";
import { type Unknowable, unknowable } from "../kit/steps.ts";
import {
  getActiveThreadsRequest,
  getMeRequest,
  LIST_LIMIT,
  type ListedMessage,
  listMessagesRequest,
  readActiveThreadsReply,
  readListReply,
  readMeReply,
  type SentMessage,
} from "./api.ts";
import type { Place } from "./bookmark.ts";
import { postText } from "./check.ts";
import { NO_HISTORY, toUnknowable } from "./failures.ts";
import { type Job, threadNameOf } from "./message.ts";
import { firstIdAt, type Sender, send } from "./sender.ts";

type Bot = Extract<Sender, { kind: "bot" }>;

type Found =
  | { kind: "found"; message: SentMessage & { threadId: string | null } }
  | Exclude<Reconciled, { kind: "published" | "waiting" }>;

/** Tolerance for differing clocks. */
const SLACK_SECONDS = 60;
const MAX_PAGES = 5;

const windowStart = ({ readyAt }: Place): bigint =>
  firstIdAt(addSeconds(new Date(readyAt), -SLACK_SECONDS));

/** Discord leaves out some characters, but neither letters nor digits. */
const words = (text: string): string => comparable(text).replace(/[^\p{L}\p{N}]/gu, "");

const isLike = ({ post }: Job, { content, attachments }: ListedMessage): boolean =>
  attachments.length === post.media.length && words(content) === words(postText(post));

const SEVERAL = unknowable("More than one message on Discord could be this one.");
const MANY = unknowable("The channel has more new messages than Akimbo reads.");
const BLIND = unknowable(NO_HISTORY);

function judgeMessages(job: Job, { nonce }: Place, own: readonly ListedMessage[]) {
  const named = own.find((message) => String(message.nonce) === nonce);
  if (named) return named;
  // Discord does not say whether its lists repeat a nonce.
  const like = own.filter((message) => message.nonce == null && isLike(job, message));
  return like.length > 1 ? SEVERAL : (like[0] ?? null);
}

/**
 * A list without a single message proves nothing. One that reaches back beyond the call, or to the channel's first
 * message, has the message or there is none.
 */
export async function findMessage(job: Job, { token, channelId }: Bot, at: Place): Promise<Found> {
  const me = await readMeReply(await send(job, getMeRequest(token)));
  if (!me.ok) return toUnknowable(me.error);
  const channel = at.threadId ?? channelId;
  const since = windowStart(at);
  const seen: ListedMessage[] = [];
  let reachesBack = false;
  for (let page = 0; page < MAX_PAGES && !reachesBack; page++) {
    const request = listMessagesRequest(token, channel, seen.at(-1)?.id ?? null);
    const reply = await readListReply(await send(job, request));
    if (!reply.ok) return toUnknowable(reply.error);
    seen.push(...reply.value);
    const oldest = reply.value.at(-1);
    reachesBack = reply.value.length < LIST_LIMIT || (oldest ? BigInt(oldest.id) < since : true);
  }
  const own = seen.filter(({ id, author }) => author.id === me.value.id && BigInt(id) >= since);
  const match = judgeMessages(job, at, own);
  if (match && "kind" in match) return match;
  if (match) {
    const message = { id: match.id, channel_id: channel, threadId: at.threadId };
    return { kind: "found", message };
  }
  if (seen.length === 0) return BLIND;
  return reachesBack ? { kind: "absent" } : MANY;
}

const NO_THREAD = "Discord lists no thread like this one, which nothing else names for sure.";

/** The call that begins a thread takes no nonce, so it is never repeated. */
export async function findThread(job: Job, sender: Bot, at: Place): Promise<Found | Unknowable> {
  const { token, channelId } = sender;
  const me = await readMeReply(await send(job, getMeRequest(token)));
  if (!me.ok) return toUnknowable(me.error);
  const request = getActiveThreadsRequest(sender);
  const reply = await readActiveThreadsReply(await send(job, request));
  if (!reply.ok) return toUnknowable(reply.error);
  const since = windowStart(at);
  const name = words(threadNameOf(job.post));
  const [thread, another] = reply.value.filter(
    (one) =>
      one.parent_id === channelId &&
      one.owner_id === me.value.id &&
      words(one.name ?? "") === name &&
      BigInt(one.id) >= since,
  );
  if (another) return SEVERAL;
  if (!thread) return unknowable(NO_THREAD);
  // The first message of a forum's thread has the thread's id.
  const { id } = thread;
  return { kind: "found", message: { id, channel_id: id, threadId: id } };
}
