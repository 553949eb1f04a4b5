import { randomHex } from "../../core/ids.ts";
import { ok, type Result, refuse } from "../../core/result.ts";
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
  type Channel,
  createMessageRequest,
  createThreadRequest,
  type DiscordRefusal,
  getChannelRequest,
  readChannelReply,
  readCreateThreadReply,
  readMessageReply,
  type SentMessage,
} from "./api.ts";
import { type Place, readBookmark } from "./bookmark.ts";
import { isUndecided, NEEDS_THREAD, toRefused, UNKNOWN_CHANNEL } from "./failures.ts";
import { findMessage, findThread } from "./find-message.ts";
import { bodyOf, contentOf, type Job, threadNameOf } from "./message.ts";
import { readPlace, type Sender, send, senderOf, writePlace } from "./sender.ts";

/** Discord takes up to 25 characters. */
const NONCE_BYTES = 12;

/** Source: Discord, "Channels Resource", channel types. */
const FORUMS = [15, 16];

export async function prepare(job: Job, stored: Bookmark | null): Promise<Prepared> {
  if (stored) return ready(stored);
  const at = {
    nonce: randomHex(NONCE_BYTES),
    readyAt: job.now().getTime(),
  };
  if (job.replyTo) {
    const { threadId } = readPlace(job.replyTo.root);
    return ready<Place>({ ...at, threadId, opensThread: false });
  }
  const sender = senderOf(job);
  const { discord_thread_id: threadId, discord_thread_name: name } = job.post.settings;
  if (sender.kind === "webhook") {
    return ready<Place>({ ...at, threadId, opensThread: name !== null });
  }
  const isForum = await findChannel(job, sender, threadId);
  if (!isForum.ok) return isForum.error;
  return ready<Place>({ ...at, threadId, opensThread: isForum.value && threadId === null });
}

const FOREIGN_THREAD =
  "discord_thread_id is no thread of the account's channel. Send the id of one, or leave it out.";
const NO_FORUM = "The channel is no forum; leave discord_thread_name and discord_tags out.";

/** A bot sees other channels of the server too, which are not the account's. */
async function findChannel(
  job: Job,
  { token, channelId }: Extract<Sender, { kind: "bot" }>,
  threadId: string | null,
): Promise<Result<boolean, Stopped>> {
  const request = getChannelRequest(token, threadId ?? channelId);
  const reply = await readChannelReply(await send(job, request));
  if (!reply.ok) {
    const isThread = threadId !== null && reply.error.code === UNKNOWN_CHANNEL;
    return refuse(
      isThread ? failed("content_flagged", FOREIGN_THREAD) : toRefused(reply.error, job.now()),
    );
  }
  return judgeChannel(job, reply.value, threadId === null ? null : channelId);
}

function judgeChannel(
  { post }: Job,
  { type, parent_id }: Channel,
  parentId: string | null,
): Result<boolean, Stopped> {
  if (parentId !== null) {
    return parent_id === parentId ? ok(false) : refuse(failed("content_flagged", FOREIGN_THREAD));
  }
  const isForum = FORUMS.includes(type);
  const { discord_thread_name: name, discord_tags: tags } = post.settings;
  const isRefused = !isForum && (name !== null || tags.length > 0);
  return isRefused ? refuse(failed("content_flagged", NO_FORUM)) : ok(isForum);
}

/** Answers the message's thread too, when it is a new one. */
type Sent = Result<SentMessage & { threadId: string | null }, DiscordRefusal>;

async function sendMessage(job: Job, sender: Sender, at: Place): Promise<Sent> {
  if (sender.kind === "bot" && at.opensThread) return beginThread(job, sender);
  const own = sender.kind === "bot" ? botFields(job, at) : webhookFields(job, at);
  const body = bodyOf(job, { ...contentOf(job), ...own });
  const request = createMessageRequest(sender, at.threadId, body);
  const reply = await readMessageReply(await send(job, request));
  if (!reply.ok) return reply;
  const threadId = at.opensThread ? reply.value.channel_id : at.threadId;
  return ok({ ...reply.value, threadId });
}

async function beginThread(
  job: Job,
  { token, channelId }: Extract<Sender, { kind: "bot" }>,
): Promise<Sent> {
  const json = { ...threadFields(job), name: threadNameOf(job.post), message: contentOf(job) };
  const request = createThreadRequest(token, channelId, bodyOf(job, json));
  const reply = await readCreateThreadReply(await send(job, request));
  return reply.ok ? ok({ ...reply.value, threadId: reply.value.channel_id }) : reply;
}

const threadFields = ({ post }: Job) => {
  const { discord_tags: tags } = post.settings;
  return tags.length > 0 ? { applied_tags: tags } : {};
};

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

const webhookFields = (job: Job, { opensThread }: Place) => {
  const { discord_username: username } = job.post.settings;
  return {
    ...(username === null ? {} : { username }),
    ...(opensThread ? { ...threadFields(job), thread_name: threadNameOf(job.post) } : {}),
  };
};

export function toPublished(
  { guildId }: Sender,
  { id, channel_id, threadId }: SentMessage & { threadId: string | null },
): PublishedPost {
  const shareUrl = `https://discord.com/channels/${guildId}/${channel_id}/${id}`;
  return published(writePlace({ threadId, messageId: id }), shareUrl);
}

/** A webhook's channel says only by its refusal that it is a forum. */
async function sendToChannel(job: Job, sender: Sender, at: Place): Promise<Sent> {
  const sent = await sendMessage(job, sender, at);
  const isForum = !sent.ok && sent.error.code === NEEDS_THREAD && !at.opensThread;
  return isForum ? sendMessage(job, sender, { ...at, opensThread: true }) : sent;
}

export async function submit(job: Job, stored: Bookmark): Promise<Submitted> {
  const at = readBookmark(stored);
  const sender = senderOf(job);
  const sent = await sendToChannel(job, sender, at);
  if (sent.ok) return toPublished(sender, sent.value);
  if (isUndecided(sent.error)) return undecided(sent.error.message);
  const isThread = at.threadId !== null && sent.error.code === UNKNOWN_CHANNEL;
  return isThread ? failed("content_flagged", FOREIGN_THREAD) : toRefused(sent.error, job.now());
}

const NOT_LISTED = "Discord does not list what a webhook has posted.";

/** Only a bot can look for its messages. */
export async function reconcile(job: Job, stored: Bookmark): Promise<Reconciled> {
  const at = readBookmark(stored);
  const sender = senderOf(job);
  if (sender.kind === "webhook") return unknowable(NOT_LISTED);
  const found = at.opensThread
    ? await findThread(job, sender, at)
    : await findMessage(job, sender, at);
  return found.kind === "found" ? toPublished(sender, found.message) : found;
}
