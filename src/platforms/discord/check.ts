import type { FieldError } from "../../core/errors.ts";
import { countCodePoints } from "../../core/text.ts";
import type { Post, PostMedia, Target } from "../connector.ts";
import { altTextsFor } from "../kit/alt-texts.ts";
import { checksFor, fileField, fileName, refuseIf } from "../kit/checks.ts";
import { postText, postTextField } from "../kit/post-text.ts";
import { capabilities, MAX_FILES_BYTES } from "./capabilities.ts";
import type { DiscordSettings } from "./settings.ts";

type DiscordPost = Post<DiscordSettings>;

const { limits, mediaSupport } = capabilities;
const checks = checksFor("Discord", capabilities);

export const altTexts = altTextsFor<DiscordSettings>({
  platform: "Discord",
  capabilities,
  isTaken: ({ media }, index) => media[index]?.kind !== "document",
  countCharacters: countCodePoints,
});

const checkText = (post: DiscordPost): FieldError[] => [
  ...checks.textOrFile(post),
  ...checks.length(postTextField(post), "the text", {
    count: countCodePoints(postText(post)),
    max: limits.postCharacters,
  }),
];

const checkMedia = (media: readonly PostMedia[]): FieldError[] => [
  ...checks.count("photo", media.length, mediaSupport.maxCount, "files"),
  ...media.flatMap((item, index) =>
    checks.file(item, { field: fileField(item), name: fileName(item, index) }),
  ),
  ...checks.total("photo", media, MAX_FILES_BYTES),
];

function checkTags({ settings }: DiscordPost, accountId = ""): FieldError[] {
  const { discord_thread_id: threadId, discord_tags: tags } = settings;
  return refuseIf(
    tags.length > 0 && (threadId !== null || accountId.startsWith("channels/")),
    "discord_tags",
    "Tags are for a new thread of a forum; leave discord_tags out.",
  );
}

export const check = (post: DiscordPost, { platformAccountId }: Target): FieldError[] => [
  ...checkText(post),
  ...checkMedia(post.media),
  ...checkTags(post, platformAccountId),
  ...altTexts.check(post),
];
