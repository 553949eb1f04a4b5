import { emptyIfBlank } from "../../core/text.ts";
import type { MediaItem, Post, PublishJob } from "../connector.ts";
import type { Call } from "../kit/requests.ts";
import { streamedFiles } from "../kit/streamed-form.ts";
import { MAX_THREAD_NAME } from "./capabilities.ts";
import { altTexts, postText } from "./check.ts";
import type { DiscordSettings } from "./settings.ts";

export type Job = PublishJob<DiscordSettings>;

/** Source: Discord, "Message Resource", message flags. */
const SUPPRESS_EMBEDS = 4;
const SUPPRESS_NOTIFICATIONS = 4_096;

const EXTENSIONS: Record<string, string> = {
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/webp": "webp",
  "image/gif": "gif",
  "video/mp4": "mp4",
  "video/quicktime": "mov",
  "video/webm": "webm",
  "application/pdf": "pdf",
  "application/msword": "doc",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.ms-powerpoint": "ppt",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
};

const filenameOf = ({ mime }: MediaItem, index: number): string =>
  `file-${index + 1}.${EXTENSIONS[mime] ?? "bin"}`;

/** The part of a message that webhooks, bots and new threads have in common. */
export function contentOf({ post }: Pick<Job, "post">) {
  const { discord_suppress_embeds, discord_silent, discord_spoiler, discord_mentions } =
    post.settings;
  const flags =
    (discord_suppress_embeds ? SUPPRESS_EMBEDS : 0) + (discord_silent ? SUPPRESS_NOTIFICATIONS : 0);
  const attachments = post.media.map((item, index) => {
    const description = altTexts.textOf(post, index);
    return {
      id: index,
      filename: filenameOf(item, index),
      ...(description === "" ? {} : { description }),
      ...(discord_spoiler ? { is_spoiler: true } : {}),
    };
  });
  return {
    content: postText(post),
    allowed_mentions: { parse: discord_mentions },
    ...(flags === 0 ? {} : { flags }),
    ...(attachments.length === 0 ? {} : { attachments }),
  };
}

/** In a forum or media channel. */
export function threadNameOf(post: Post<DiscordSettings>): string {
  const [line = ""] = postText(post).trim().split("\n");
  const name = post.settings.discord_thread_name ?? (emptyIfBlank(post.title).trim() || line);
  return [...name].slice(0, MAX_THREAD_NAME).join("").trim() || "New post";
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
