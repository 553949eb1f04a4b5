import * as z from "zod";
import { fileNameOf } from "../../core/file-type.ts";
import type {
  Bookmark,
  MediaItem,
  Prepared,
  PublishedPost,
  PublishJob,
  Reconciled,
  Submitted,
} from "../connector.ts";
import { failed, mediaInvalid } from "../kit/refusals.ts";
import { published, ready, undecided, unknowable } from "../kit/steps.ts";
import type { UnreadFile } from "../kit/streamed-form.ts";
import { judgeVideo } from "../kit/videos.ts";
import { type Reading, SENDERS, type SentMessage, sendMediaGroup, sendMessage } from "./api.ts";
import { formattedOf, isGif } from "./check.ts";
import { judge } from "./failures.ts";
import type { Formatted } from "./formatting.ts";
import type { TelegramSettings } from "./settings.ts";

type Job = PublishJob<TelegramSettings>;

const size = z.object({
  width: z.number().optional(),
  height: z.number().optional(),
  duration: z.number().optional(),
});

/** For each file what Telegram does not find out itself. */
const bookmark = z.object({ sizes: z.array(size) });

type Size = z.output<typeof size>;

const NO_PARENT = failed(
  "unknown",
  "Telegram has not said which id the message has that this one replies to. Write the rest in Telegram.",
);

export async function prepare(job: Job, stored: Bookmark | null): Promise<Prepared> {
  if (stored !== null) return ready(bookmark.parse(stored));
  if (job.replyTo?.parent === "") return NO_PARENT;
  const sizes: Size[] = [];
  for (const item of job.post.media) {
    const facts = item.kind === "video" ? await job.inspectVideo(item) : null;
    const problem = item.kind === "video" ? judgeVideo("Telegram", facts, []) : null;
    if (problem) return mediaInvalid(problem);
    const { width, height, durationSeconds } = facts ?? {};
    sizes.push({
      ...(width && height ? { width, height } : {}),
      ...(durationSeconds ? { duration: Math.round(durationSeconds) } : {}),
    });
  }
  return ready({ sizes });
}

/** @throws Error for markup that `check` refuses */
function contentOf({ post }: Job): Formatted {
  const formatted = formattedOf(post);
  if (!formatted.ok) throw new Error(formatted.error);
  return formatted.value;
}

export const linkPreview = ({ telegram_link_preview }: TelegramSettings) =>
  telegram_link_preview ? {} : { link_preview_options: { is_disabled: true } };

export const captionOf = (
  { text, entities }: Formatted,
  { telegram_caption_above }: TelegramSettings,
) => ({
  ...(text === "" ? {} : { caption: text }),
  ...(entities.length > 0 ? { caption_entities: entities } : {}),
  ...(telegram_caption_above ? { show_caption_above_media: true } : {}),
});

function targetOf({ account, post: { settings }, replyTo }: Job) {
  const message_id = Number(replyTo?.parent.split(",")[0]);
  return {
    chat_id: account.platformAccountId,
    ...(settings.telegram_topic_id === null
      ? {}
      : { message_thread_id: settings.telegram_topic_id }),
    ...(settings.telegram_silent ? { disable_notification: true } : {}),
    ...(settings.telegram_protect_content ? { protect_content: true } : {}),
    ...(replyTo ? { reply_parameters: { message_id, allow_sending_without_reply: false } } : {}),
  };
}

const typeOf = (item: MediaItem): keyof typeof SENDERS => {
  if (item.kind !== "image") return item.kind;
  return isGif(item) ? "animation" : "photo";
};

const NO_TEXT: Formatted = { text: "", entities: [] };

/** Telegram judges photos by the extensions of their names. */
const toFile = (job: Job, item: MediaItem, name: string): UnreadFile => ({
  name,
  filename: fileNameOf(item.mime),
  mime: item.mime,
  read: () => job.readMedia(item),
  sizeBytes: item.sizeBytes,
});

function lookOf(item: MediaItem, own: Size, { telegram_spoiler }: TelegramSettings) {
  return {
    ...(item.kind === "video" ? { ...own, supports_streaming: true } : {}),
    ...(telegram_spoiler ? { has_spoiler: true } : {}),
  };
}

async function send(job: Job, sizes: readonly Size[]): Reading<SentMessage[]> {
  const { media, settings } = job.post;
  const content = contentOf(job);
  const target = targetOf(job);
  const [item] = media;
  if (!item) {
    const { text, entities } = content;
    const marks = entities.length > 0 ? { entities } : {};
    return sendMessage(job, { ...target, text, ...marks, ...linkPreview(settings) });
  }
  const caption = captionOf(content, settings);
  if (media.length === 1) {
    const type = typeOf(item);
    const parameters = { ...target, ...caption, ...lookOf(item, sizes[0] ?? {}, settings) };
    return SENDERS[type](job, parameters, [toFile(job, item, type)]);
  }
  const items = media.map((one, index) => ({
    type: typeOf(one),
    media: `attach://file${index}`,
    ...lookOf(one, sizes[index] ?? {}, settings),
    // The text of the first is shown as the album's; its place must be the same for all.
    ...(index === 0 ? caption : captionOf(NO_TEXT, settings)),
  }));
  const files = media.map((one, index) => toFile(job, one, `file${index}`));
  return sendMediaGroup(job, { ...target, media: items }, files);
}

const HELD_BACK =
  "Telegram has taken the message, but holds it back and has given it no id yet. It cannot be edited or taken down here.";

function addressOf({
  chat,
  message_id,
  message_thread_id,
  is_topic_message,
}: SentMessage): string | null {
  if (chat.type === "group") return null;
  const place = chat.username ?? `c/${String(chat.id).replace(/^-100/, "")}`;
  const topic = is_topic_message && message_thread_id ? `/${message_thread_id}` : "";
  return `https://t.me/${place}${topic}/${message_id}`;
}

/** The ids of an album are joined, so that all of it can be deleted. */
function toPublished(sent: readonly SentMessage[]): PublishedPost {
  const [first] = sent;
  if (!first || sent.some(({ message_id }) => message_id === 0))
    return published("", null, [HELD_BACK]);
  return published(sent.map(({ message_id }) => message_id).join(), addressOf(first));
}

export async function submit(job: Job, stored: Bookmark): Promise<Submitted> {
  const { sizes } = bookmark.parse(stored);
  const reply = await send(job, sizes);
  if (reply.ok) return toPublished(reply.value);
  return judge.isUndecided(reply.error)
    ? undecided(reply.error.message)
    : judge.toRefused(reply.error, job.now());
}

export const reconcile = async (): Promise<Reconciled> =>
  unknowable("Telegram did not say whether it has sent the message, and shows bots no messages.");
