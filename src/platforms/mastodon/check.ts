import { formatCount } from "../../core/counts.ts";
import type { FieldError } from "../../core/errors.ts";
import { countGraphemes, countUtf8Bytes } from "../../core/text.ts";
import type { Post, PostMedia, Target } from "../connector.ts";
import { altTextsFor } from "../kit/alt-texts.ts";
import { checksFor, fileField, fileName, ofKind, refuseIf } from "../kit/checks.ts";
import { postText, postTextField } from "../kit/post-text.ts";
import type { ServerLimits } from "../login.ts";
import { capabilities, LEAST_POLL_OPTIONS, limitsOf, MAX_TEXT_BYTES } from "./capabilities.ts";
import type { MastodonSettings } from "./settings.ts";
import { countCharacters } from "./text.ts";

type MastodonPost = Post<MastodonSettings>;
type Limits = Required<ServerLimits>;

const SERVER = "This account's server";
const checks = checksFor("Mastodon", capabilities);

export const altTexts = altTextsFor<MastodonSettings>({
  platform: "Mastodon",
  capabilities: {
    ...capabilities,
    limits: { altTextCharacters: Number.POSITIVE_INFINITY },
  },
  isTaken: ({ media }, index) => media[index]?.kind !== "document",
});

function checkText(post: MastodonPost, limits: Limits): FieldError[] {
  const text = postText(post);
  const warning = post.settings.mastodon_content_warning ?? "";
  const field = postTextField(post);
  if (text === "") return checks.textOrFile(post);
  const bytes = countUtf8Bytes(text + warning);
  if (bytes > MAX_TEXT_BYTES) {
    return checks.length(field, "the text", { count: bytes, max: MAX_TEXT_BYTES, unit: "bytes" });
  }
  return checks.length(field, warning === "" ? "the text" : "the text or its content warning", {
    count: countCharacters(text, limits.linkCharacters) + countGraphemes(warning),
    max: limits.postCharacters,
    taker: SERVER,
  });
}

function checkFile(item: PostMedia, index: number, limits: Limits): FieldError[] {
  if (item.kind === "document") return checks.document(index);
  const isVideo = item.kind === "video";
  return checks.file(item, {
    field: fileField(item),
    name: fileName(item, index),
    types: limits.mimeTypes,
    maxBytes: isVideo ? limits.videoMaxBytes : limits.imageMaxBytes,
    expected: `, which ${SERVER.toLowerCase()} does not take`,
  });
}

function checkMedia({ media, settings }: MastodonPost, limits: Limits): FieldError[] {
  const images = ofKind(media, "image");
  const videos = ofKind(media, "video");
  const { mastodon_focus: focus } = settings;
  return [
    ...media.flatMap((item, index) => checkFile(item, index, limits)),
    ...checks.count("photo", images.length, limits.maxFiles, "images", SERVER),
    ...checks.count("video", videos.length, 1, "video"),
    ...refuseIf(
      images.length > 0 && videos.length > 0,
      "video",
      "Mastodon shows a video alone; send it without images, or the images without it.",
    ),
    ...refuseIf(
      focus.length > media.length,
      "mastodon_focus",
      `Send at most one point for each file (${media.length} here); ${focus.length} were sent.`,
    ),
    ...media.flatMap((_, index) =>
      checks.length("alt_text", `alt_text of file ${index + 1}`, {
        count: countGraphemes(media[index]?.altText ?? ""),
        max: limits.altTextCharacters,
        taker: SERVER,
      }),
    ),
  ];
}

const POLL_ALONE = ["duration_minutes", "multiple", "hide_totals"] as const;

function checkPoll({ media, settings }: MastodonPost, limits: Limits): FieldError[] {
  const field = "mastodon_poll_options";
  const { mastodon_poll_options: options, mastodon_poll_duration_minutes: minutes } = settings;
  if (options.length === 0) {
    return POLL_ALONE.flatMap((name) => {
      const own = `mastodon_poll_${name}` as const;
      return refuseIf(Boolean(settings[own]), own, `${own} needs ${field}.`);
    });
  }
  const { pollOptions: max, pollOptionCharacters: characters } = limits;
  const { pollMinSeconds, pollMaxSeconds } = limits;
  const seconds = minutes === null ? null : minutes * 60;
  return [
    ...refuseIf(media.length > 0, field, "A poll goes with text alone; leave the media out."),
    ...refuseIf(
      options.length < LEAST_POLL_OPTIONS || options.length > max,
      field,
      `A poll has ${LEAST_POLL_OPTIONS} to ${max} choices on this account's server, not ${options.length}.`,
    ),
    ...refuseIf(
      new Set(options).size < options.length,
      field,
      "Each choice of a poll must be another one.",
    ),
    ...options.flatMap((option, index) => {
      const count = countGraphemes(option);
      const message = `Choice ${index + 1} has ${formatCount(count)} characters; ${SERVER.toLowerCase()} takes up to ${characters}.`;
      return refuseIf(count > characters, field, message);
    }),
    ...refuseIf(
      seconds !== null && (seconds < pollMinSeconds || seconds > pollMaxSeconds),
      "mastodon_poll_duration_minutes",
      `A poll is open for ${Math.ceil(pollMinSeconds / 60)} to ${formatCount(Math.floor(pollMaxSeconds / 60))} minutes on this account's server.`,
    ),
  ];
}

/** Source: the limits that the account's own server names. */
export function check(post: MastodonPost, { serverLimits }: Target): FieldError[] {
  const limits = limitsOf(serverLimits);
  return [...checkText(post, limits), ...checkMedia(post, limits), ...checkPoll(post, limits)];
}
