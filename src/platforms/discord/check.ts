import type { FieldError } from "../../core/errors.ts";
import { countCodePoints, emptyIfBlank, nullIfBlank } from "../../core/text.ts";
import type { Post, PostMedia, Target } from "../connector.ts";
import { altTextsFor } from "../kit/alt-texts.ts";
import { checksFor, refuseIf } from "../kit/checks.ts";
import {
  capabilities,
  MAX_REQUEST_BYTES,
  MAX_THREAD_NAME,
  MAX_USERNAME,
  REQUEST_SLACK_BYTES,
} from "./capabilities.ts";
import { isBot } from "./sender.ts";
import type { DiscordSettings } from "./settings.ts";

type DiscordPost = Post<DiscordSettings>;

const { limits, mediaSupport } = capabilities;
const checks = checksFor("Discord", capabilities);

export const postText = ({ title, description }: Pick<Post, "title" | "description">): string =>
  emptyIfBlank(description) || emptyIfBlank(title);

export const altTexts = altTextsFor<DiscordSettings>({
  platform: "Discord",
  capabilities,
  isTaken: ({ media }, index) => media[index]?.kind !== "document",
  countCharacters: countCodePoints,
});

function checkText(post: DiscordPost): FieldError[] {
  const text = postText(post);
  const field = text !== "" && nullIfBlank(post.description) === null ? "title" : "description";
  if (text === "") {
    const message = "Write a description: a message on Discord needs text or a file.";
    return refuseIf(post.media.length === 0, field, message);
  }
  const count = countCodePoints(text);
  return checks.length(field, "the text", { count, max: limits.postCharacters });
}

const FIELDS = { image: "photo", video: "video", document: "photo" } as const;
const NAMES = { image: "Image", video: "Video", document: "Document" } as const;

function checkMedia(media: readonly PostMedia[]): FieldError[] {
  const sum = media.reduce((bytes, { sizeBytes }) => bytes + (sizeBytes ?? 0), 0);
  return [
    ...checks.count("photo", media.length, mediaSupport.maxCount, "files"),
    ...media.flatMap((item, index) =>
      checks.file(item, { field: FIELDS[item.kind], name: `${NAMES[item.kind]} ${index + 1}` }),
    ),
    ...checks.length("photo", "the files", {
      count: sum,
      max: MAX_REQUEST_BYTES - REQUEST_SLACK_BYTES,
      unit: "bytes in one message",
    }),
  ];
}

/** @see https://docs.discord.com/developers/resources/webhook */
const RESERVED = /clyde|discord/i;

function checkUsername(name: string | null, isForBot: boolean): FieldError[] {
  if (name === null) return [];
  const field = "discord_username";
  return [
    ...refuseIf(isForBot, field, "A bot posts under its own name; leave discord_username out."),
    ...refuseIf(
      RESERVED.test(name),
      field,
      "Discord takes no names with the words clyde or discord; choose another discord_username.",
    ),
    ...checks.length(field, "the name", { count: countCodePoints(name), max: MAX_USERNAME }),
  ];
}

function checkThread({ settings }: DiscordPost): FieldError[] {
  const { discord_thread_id: id, discord_thread_name: name, discord_tags: tags } = settings;
  return [
    ...refuseIf(
      id !== null && (name !== null || tags.length > 0),
      name === null ? "discord_tags" : "discord_thread_name",
      "A name and tags are for a new thread; send them without discord_thread_id.",
    ),
    ...checks.length("discord_thread_name", "the thread's name", {
      count: countCodePoints(name ?? ""),
      max: MAX_THREAD_NAME,
    }),
  ];
}

export function check(post: DiscordPost, { platformAccountId }: Target): FieldError[] {
  return [
    ...checkText(post),
    ...checkMedia(post.media),
    ...checkThread(post),
    ...checkUsername(post.settings.discord_username, isBot(platformAccountId)),
    ...altTexts.check(post),
  ];
}
