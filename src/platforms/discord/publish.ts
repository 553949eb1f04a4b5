import { randomHex } from "../../core/ids.ts";
import { ok } from "../../core/result.ts";
import type {
  Bookmark,
  Prepared,
  PublishedPost,
  Reconciled,
  Stopped,
  Submitted,
} from "../connector.ts";
import { failed } from "../kit/refusals.ts";
import { published, ready, undecided, unknowable } from "../kit/steps.ts";
import {
  createMessage,
  createThread,
  type DiscordRefusal,
  getChannel,
  type Reading,
  type SentMessage,
} from "./api.ts";
import { type Place, readBookmark } from "./bookmark.ts";
import { isUndecided, NEEDS_THREAD, toRefused, UNKNOWN_CHANNEL } from "./failures.ts";
import { findMessage } from "./find-message.ts";
import { bodyOf, contentOf, type Job, tagsOf, threadNameOf } from "./message.ts";
import { readPlace, type Sender, senderOf, writePlace } from "./sender.ts";

/** Discord takes up to 25 characters. */
const NONCE_BYTES = 12;

export async function prepare(job: Job, stored: Bookmark | null): Promise<Prepared> {
  if (stored) return ready(stored);
  const sender = senderOf(job);
  const chosen = job.replyTo ? null : job.post.settings.discord_thread_id;
  if (chosen !== null && sender.kind === "bot") {
    const problem = await refuseForeign(job, sender, chosen);
    if (problem) return problem;
  }
  const threadId = job.replyTo ? readPlace(job.replyTo.root).threadId : chosen;
  const nonce = randomHex(NONCE_BYTES);
  return ready<Place>({ threadId, nonce, readyAt: job.now().getTime() });
}

const FOREIGN_THREAD = failed(
  "content_flagged",
  "discord_thread_id is no thread of the account's channel. Send the id of one, or leave it out.",
);

/** A bot sees other channels of the server too, which are not the account's. */
async function refuseForeign(job: Job, sender: Sender, threadId: string): Promise<Stopped | null> {
  const reply = await getChannel(sender, threadId);
  if (reply.ok) return reply.value.parent_id === sender.id ? null : FOREIGN_THREAD;
  return toStopped(job, threadId, reply.error);
}

const toStopped = (job: Job, threadId: string | null, refusal: DiscordRefusal): Stopped =>
  threadId !== null && refusal.code === UNKNOWN_CHANNEL
    ? FOREIGN_THREAD
    : toRefused(refusal, job.now());

/** With the message's thread. */
type Sent = SentMessage & { threadId: string | null };

/** A webhook learns only by a refusal that its channel is a forum. */
async function send(job: Job, sender: Sender, at: Place): Reading<Sent> {
  const { threadId } = at;
  const content = contentOf(job);
  const name = threadNameOf(job.post);
  if (sender.isForum && threadId === null) {
    const json = { ...tagsOf(job), name, message: content };
    return inOwnThread(await createThread(sender, bodyOf(job, json)));
  }
  const own = sender.kind === "bot" ? botFields(job, at) : {};
  const sent = await createMessage(sender, threadId, bodyOf(job, { ...content, ...own }));
  if (sent.ok) return ok({ ...sent.value, threadId });
  if (sent.error.code !== NEEDS_THREAD) return sent;
  const json = { ...content, ...tagsOf(job), thread_name: name };
  return inOwnThread(await createMessage(sender, null, bodyOf(job, json)));
}

const inOwnThread = (sent: Awaited<Reading<SentMessage>>): Awaited<Reading<Sent>> =>
  sent.ok ? ok({ ...sent.value, threadId: sent.value.channel_id }) : sent;

const botFields = ({ replyTo }: Job, { nonce }: Place) => ({
  nonce,
  enforce_nonce: true,
  ...(replyTo
    ? {
        message_reference: {
          message_id: readPlace(replyTo.parent).messageId,
          fail_if_not_exists: false,
        },
      }
    : {}),
});

function toPublished({ guildId }: Sender, { id, channel_id, threadId }: Sent): PublishedPost {
  const shareUrl = `https://discord.com/channels/${guildId}/${channel_id}/${id}`;
  return published(writePlace({ threadId, messageId: id }), shareUrl);
}

export async function submit(job: Job, stored: Bookmark): Promise<Submitted> {
  const at = readBookmark(stored);
  const sender = senderOf(job);
  const sent = await send(job, sender, at);
  if (sent.ok) return toPublished(sender, sent.value);
  return isUndecided(sent.error)
    ? undecided(sent.error.message)
    : toStopped(job, at.threadId, sent.error);
}

const NOT_LISTED = unknowable("Discord does not list what a webhook has posted.");
const NO_NONCE = unknowable("Discord does not say whether a call for a thread was a new one.");

/** Only a bot can look for its messages. */
export async function reconcile(job: Job, stored: Bookmark): Promise<Reconciled> {
  const at = readBookmark(stored);
  const sender = senderOf(job);
  if (sender.kind === "webhook") return NOT_LISTED;
  if (sender.isForum && at.threadId === null) return NO_NONCE;
  const found = await findMessage(job, sender, at);
  if (found.kind !== "found") return found;
  const { threadId } = at;
  return toPublished(sender, { id: found.id, channel_id: threadId ?? sender.id, threadId });
}
