import { fileNameOf } from "../../core/file-type.ts";
import { emptyIfBlank } from "../../core/text.ts";
import type { MediaItem, Post, PublishJob } from "../connector.ts";
import { postText } from "../kit/post-text.ts";
import type { Call } from "../kit/requests.ts";
import { streamedFiles } from "../kit/streamed-form.ts";
import { altTexts } from "./check.ts";
import type { DiscordSettings } from "./settings.ts";

export type Job = PublishJob<DiscordSettings>;

/** Source: Discord, "Message Resource", message flags. */
const SUPPRESS_EMBEDS = 4;
const SUPPRESS_NOTIFICATIONS = 4_096;

/** Code points. Source: Discord, "Channels Resource". */
const MAX_THREAD_NAME = 100;

const filenameOf = ({ mime }: MediaItem, index: number): string =>
  fileNameOf(mime, `file-${index + 1}`);

/** The part of a message that webhooks, bots and new threads have in common. */
export function contentOf({ post }: Pick<Job, "post">) {
  const { discord_suppress_embeds, discord_silent, discord_mentions } = post.settings;
  const flags =
    (discord_suppress_embeds ? SUPPRESS_EMBEDS : 0) + (discord_silent ? SUPPRESS_NOTIFICATIONS : 0);
  const attachments = post.media.map((item, id) => {
    const description = altTexts.textOf(post, id);
    return { id, filename: filenameOf(item, id), ...(description === "" ? {} : { description }) };
  });
  return {
    content: postText(post),
    allowed_mentions: { parse: discord_mentions },
    ...(flags === 0 ? {} : { flags }),
    ...(attachments.length === 0 ? {} : { attachments }),
  };
}

export const tagsOf = ({ post: { settings } }: Job) =>
  settings.discord_tags.length === 0 ? {} : { applied_tags: settings.discord_tags };

/** In a forum or media channel. */
export function threadNameOf(post: Post<DiscordSettings>): string {
  const [line = ""] = (emptyIfBlank(post.title) || postText(post)).trim().split("\n");
  return [...line].slice(0, MAX_THREAD_NAME).join("").trim() || "New post";
}

/** JSON, or a form whose length is known where there are files. */
export function bodyOf(job: Job, json: object): Pick<Call, "json" | "headers" | "body"> {
  const { media } = job.post;
  if (media.length === 0) return { json };
  const { body, contentType } = streamedFiles(
    [{ name: "payload_json", text: JSON.stringify(json), mime: "application/json" }],
    media.map((item, index) => ({
      name: `files[${index}]`,
      filename: filenameOf(item, index),
      mime: item.mime,
      sizeBytes: item.sizeBytes,
      read: () => job.readMedia(item),
    })),
  );
  return { body, headers: { "content-type": contentType } };
}
