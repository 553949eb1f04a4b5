import { addSeconds } from "../../core/time.ts";
import type { Reconciled } from "../connector.ts";
import { comparable } from "../kit/listings.ts";
import { postText } from "../kit/post-text.ts";
import { unknowable } from "../kit/steps.ts";
import { getMe, LIST_LIMIT, type ListedMessage, listMessages } from "./api.ts";
import type { Place } from "./bookmark.ts";
import { NO_HISTORY, toUnknowable } from "./failures.ts";
import type { Job } from "./message.ts";
import type { Sender } from "./sender.ts";

/** Source: Discord, "Reference", snowflakes. */
const EPOCH_MS = 1_420_070_400_000;
const TIME_BITS = 22n;

/** Tolerance for differing clocks. */
const SLACK_SECONDS = 60;
const MAX_PAGES = 5;

/** The lowest id of a message that the call may have made. */
const firstIdOf = ({ readyAt }: Place): bigint =>
  BigInt(addSeconds(new Date(readyAt), -SLACK_SECONDS).getTime() - EPOCH_MS) << TIME_BITS;

/** Discord leaves out some characters, but neither letters nor digits. */
const words = (text: string): string => comparable(text).replace(/[^\p{L}\p{N}]/gu, "");

const isLike = ({ post }: Job, { content, attachments }: ListedMessage): boolean =>
  attachments.length === post.media.length && words(content) === words(postText(post));

const SEVERAL = unknowable("More than one message on Discord could be this one.");
const MANY = unknowable("The channel has more new messages than Akimbo reads.");
const BLIND = unknowable(NO_HISTORY);

type Found = { kind: "found"; id: string } | Exclude<Reconciled, { kind: "published" | "waiting" }>;

/**
 * A list without a single message proves nothing. One that reaches back beyond the call, or to the channel's first
 * message, has the message or there is none.
 */
export async function findMessage(job: Job, sender: Sender, at: Place): Promise<Found> {
  const me = await getMe(sender);
  if (!me.ok) return toUnknowable(me.error);
  const since = firstIdOf(at);
  const seen: ListedMessage[] = [];
  let reachesBack = false;
  for (let page = 0; page < MAX_PAGES && !reachesBack; page++) {
    const reply = await listMessages(sender, at.threadId, seen.at(-1)?.id ?? null);
    if (!reply.ok) return toUnknowable(reply.error);
    seen.push(...reply.value);
    const oldest = seen.at(-1);
    if (!oldest) return BLIND;
    reachesBack = reply.value.length < LIST_LIMIT || BigInt(oldest.id) < since;
  }
  const own = seen.filter(({ id, author }) => author.id === me.value.id && BigInt(id) >= since);
  const named = own.find(({ nonce }) => String(nonce) === at.nonce);
  if (named) return { kind: "found", id: named.id };
  // Discord does not say whether its lists repeat a nonce.
  const [match, another] = own.filter((one) => one.nonce == null && isLike(job, one));
  if (another) return SEVERAL;
  if (match) return { kind: "found", id: match.id };
  return reachesBack ? { kind: "absent" } : MANY;
}
