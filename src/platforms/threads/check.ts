import { formatCount } from "../../core/counts.ts";
import type { FieldError } from "../../core/errors.ts";
import type { Post, PostMedia } from "../connector.ts";
import { altTextsFor } from "../kit/alt-texts.ts";
import { checksFor, refuseIf } from "../kit/checks.ts";
import { captionField, captionOf } from "../meta/post.ts";
import { capabilities, MAX_IMAGE_RATIO, MAX_LINKS } from "./capabilities.ts";
import type { ThreadsSettings } from "./settings.ts";
import { countCharacters, countLinks } from "./text.ts";

type ThreadsPost = Post<ThreadsSettings>;

const { limits, mediaSupport } = capabilities;
const checks = checksFor("Threads", capabilities);

export const altTexts = altTextsFor<ThreadsSettings>({
  platform: "Threads",
  capabilities,
  isTaken: ({ media }, index) => media[index]?.kind !== "document",
  own: ({ threads_alt_text }) => threads_alt_text,
});

function checkText(post: ThreadsPost): FieldError[] {
  const text = captionOf(post);
  const field = captionField(post);
  if (text === "") {
    return [{ field, message: "Write a title: a post on Threads needs text." }];
  }
  const max = limits.postCharacters;
  const count = countCharacters(text);
  const isOfEmoji = text.length <= max ? ", which counts every emoji by its bytes" : "";
  const links = countLinks(text);
  return [
    ...refuseIf(
      count > max,
      field,
      `Shorten the text: Threads takes ${max} characters, it has ${formatCount(count)}${isOfEmoji}.`,
    ),
    ...refuseIf(
      links > MAX_LINKS,
      field,
      `Leave out links: Threads takes ${MAX_LINKS} different ones, the text has ${links}.`,
    ),
  ];
}

function checkFile(item: PostMedia, index: number, isAlone: boolean): FieldError[] {
  const { kind, width, height } = item;
  if (kind === "document") return checks.document(index);
  const isVideo = kind === "video";
  const field = isVideo && isAlone ? "video" : "photo";
  const name = `${isVideo ? "Video" : "Image"} ${index + 1}`;
  const isTooWide = width !== null && height !== null && width > MAX_IMAGE_RATIO * height;
  return [
    ...checks.file(item, { field, name }),
    ...refuseIf(
      !isVideo && isTooWide,
      field,
      `${name} is ${width} x ${height}; Threads takes images up to ${MAX_IMAGE_RATIO} times as wide as high.`,
    ),
  ];
}

function checkAltText({ media, settings }: ThreadsPost): FieldError[] {
  const field = "threads_alt_text";
  const text = settings.threads_alt_text;
  if (text === null) return [];
  if (media.length === 0) {
    const message = "There is no image or video that the alt text could describe; leave it out.";
    return [{ field, message }];
  }
  return checks.length(field, "the alt text", {
    count: text.length,
    max: limits.altTextCharacters,
  });
}

/** Source: spec, "Content limits by platform" and `threads`. */
export function check(post: ThreadsPost): FieldError[] {
  const { media } = post;
  const { maxCount } = mediaSupport;
  return [
    ...checkText(post),
    ...checks.count("photo", media.length, maxCount, "images and videos", "A carousel on Threads"),
    ...media.flatMap((item, index) => checkFile(item, index, media.length === 1)),
    ...checkAltText(post),
    ...altTexts.check(post),
  ];
}
