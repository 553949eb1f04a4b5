import type { FieldError } from "../../core/errors.ts";
import { countGraphemes, countUtf8Bytes } from "../../core/text.ts";
import type { Post, PostMedia } from "../connector.ts";
import { altTextsFor } from "../kit/alt-texts.ts";
import { checksFor, ofKind, refuseIf } from "../kit/checks.ts";
import { postText, postTextField } from "../kit/post-text.ts";
import { capabilities, MAX_TEXT_BYTES } from "./capabilities.ts";
import type { BlueskySettings } from "./settings.ts";

const { limits, mediaSupport } = capabilities;
const checks = checksFor("Bluesky", capabilities);

export const altTexts = altTextsFor<BlueskySettings>({
  platform: "Bluesky",
  capabilities,
  isTaken: ({ media }, index) => media[index]?.kind !== "document",
  own: ({ bluesky_alt_text: altText }, index) =>
    typeof altText === "string" ? altText : (altText[index] ?? null),
  countCharacters: countGraphemes,
});

function checkText(post: Post<BlueskySettings>): FieldError[] {
  const text = postText(post);
  const field = postTextField(post);
  return [
    ...checks.textOrFile(post),
    ...checks.length(field, "the text", {
      count: countGraphemes(text),
      max: limits.postCharacters,
    }),
    ...checks.length(field, "the text", {
      count: countUtf8Bytes(text),
      max: MAX_TEXT_BYTES,
      unit: "bytes of UTF-8",
    }),
  ];
}

function checkMedia(media: PostMedia[]): FieldError[] {
  const images = ofKind(media, "image");
  const videos = ofKind(media, "video");
  const { maxCount } = mediaSupport;
  return [
    ...checks.count("photo", images.length, maxCount, "images"),
    ...images.flatMap((image, index) =>
      checks.file(image, { field: "photo", name: `Image ${index + 1}` }),
    ),
    ...checks.count("video", videos.length, 1, "video"),
    ...videos.flatMap((video) => checks.file(video, { field: "video", name: "The video" })),
    ...refuseIf(
      images.length > 0 && videos.length > 0,
      "video",
      `Bluesky shows a video alone; send it without images, or up to ${maxCount} images without it.`,
    ),
    ...checks.noDocuments(media, `send up to ${maxCount} images or a video instead`),
  ];
}

function checkAltTexts(post: Post<BlueskySettings>): FieldError[] {
  const field = "bluesky_alt_text";
  const altText = post.settings.bluesky_alt_text;
  const texts = typeof altText === "string" ? [altText] : altText;
  const files = post.media.filter((item) => item.kind !== "document").length;
  if (typeof altText !== "string" && altText.length > files) {
    const message = `Send at most one alt text per image or video (${files} here); ${altText.length} were sent.`;
    return [{ field, message }];
  }
  return texts.flatMap((text, index) =>
    checks.length(field, `alt text ${index + 1}`, {
      count: countGraphemes(text),
      max: limits.altTextCharacters,
    }),
  );
}

/** Source: spec, "Content limits by platform". */
export function check(post: Post<BlueskySettings>): FieldError[] {
  return [
    ...checkText(post),
    ...checkMedia(post.media),
    ...checkAltTexts(post),
    ...altTexts.check(post),
  ];
}
