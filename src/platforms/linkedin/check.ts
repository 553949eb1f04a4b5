import { formatCount } from "../../core/counts.ts";
import type { FieldError } from "../../core/errors.ts";
import { hasMention } from "../../core/mentions.ts";
import { emptyIfBlank } from "../../core/text.ts";
import type { MediaKind, Post, PostMedia, Target } from "../connector.ts";
import { altTextsFor } from "../kit/alt-texts.ts";
import { checksFor, isSurely, nameTypes, ofKind, refuseIf } from "../kit/checks.ts";
import { capabilities, IMAGE_PIXELS_END, MIN_VIDEO_BYTES } from "./capabilities.ts";
import { escapeLittleText } from "./little-text.ts";
import { checkMentions } from "./mentions.ts";
import type { LinkedInSettings } from "./settings.ts";
import { withoutMarks } from "./styling.ts";
import { isOrganization } from "./urn.ts";

const { limits, mediaSupport } = capabilities;
const checks = checksFor("LinkedIn", capabilities);

export const altTexts = altTextsFor<LinkedInSettings>({
  platform: "LinkedIn",
  capabilities,
  isTaken: ({ media }, index) => media[index]?.kind === "image",
});

type LinkedInPost = Post<LinkedInSettings>;

export const bodyOf = ({ description }: Pick<Post, "description">): string =>
  emptyIfBlank(description);

function checkTexts({ title, description, media }: LinkedInPost): FieldError[] {
  const field = "description";
  const body = bodyOf({ description });
  const isBlank = body === "";
  const tooLong = describeTooLong(withoutMarks(body));
  return [
    ...checks.length("title", "the title", {
      count: title?.length ?? 0,
      max: limits.titleCharacters,
      taker: "it",
    }),
    ...refuseIf(
      isBlank && media.length === 0,
      field,
      "Write a description: it is the post's text.",
    ),
    ...refuseIf(
      isBlank && media.some((item) => isSurely("document", item)),
      field,
      "Write a description: LinkedIn takes no document without text.",
    ),
    ...(tooLong ? [{ field, message: tooLong }] : []),
    ...checkMentions(field, body),
  ];
}

function describeTooLong(text: string): string | null {
  const taken = `Shorten the description: LinkedIn takes ${formatCount(limits.postCharacters)} characters`;
  const mentions = hasMention(text) ? ", and with the URNs of its mentions" : "";
  // First, because escaping a much longer text is slow.
  if (text.length > limits.postCharacters) {
    return `${taken}, it has ${formatCount(text.length)} without the asterisks of bold and italic${mentions}.`;
  }
  const sent = escapeLittleText(text).length;
  if (sent <= limits.postCharacters) return null;
  return `${taken}, it has ${formatCount(sent)} with the backslashes that LinkedIn wants before \\ | { } @ [ ] ( ) < > # * _ ~${mentions}.`;
}

function checkCounts({ media }: LinkedInPost): FieldError[] {
  const count = (kind: MediaKind) => ofKind(media, kind).length;
  const [images, videos, documents] = [count("image"), count("video"), count("document")];
  const { maxCount } = mediaSupport;
  return [
    ...checks.count("photo", images, maxCount, "images"),
    ...checks.count("video", videos, 1, "video"),
    ...checks.count("photo", documents, 1, "document"),
    ...refuseIf(
      [images, videos, documents].filter((number) => number > 0).length > 1,
      videos > 0 ? "video" : "photo",
      `LinkedIn takes images, a video or a document, not several of these; send one video, one document, or up to ${maxCount} images.`,
    ),
  ];
}

const NAMES: Record<MediaKind, string> = { image: "Image", video: "Video", document: "Document" };

function checkFile(item: PostMedia, index: number): FieldError[] {
  const { kind, mime, sizeBytes, width, height } = item;
  if (mime === null) return [];
  const field = kind === "video" ? "video" : "photo";
  const name = `${NAMES[kind]} ${index + 1}`;
  const expected = `; LinkedIn takes ${nameTypes(mediaSupport[`${kind}Types`], "and")}`;
  const errors = checks.file(item, { field, name, expected });
  const minBytes = kind === "video" ? MIN_VIDEO_BYTES : 1;
  if (sizeBytes !== null && sizeBytes < minBytes) {
    const message = `${name} has ${formatCount(sizeBytes)} bytes; LinkedIn takes ${formatCount(minBytes)} or more.`;
    errors.push({ field, message });
  }
  if (kind === "image" && width !== null && height !== null && width * height >= IMAGE_PIXELS_END) {
    const message = `${name} is ${width} x ${height}, which is ${formatCount(width * height)} pixels; LinkedIn takes fewer than ${formatCount(IMAGE_PIXELS_END)}.`;
    errors.push({ field, message });
  }
  return errors;
}

function checkType({ media, settings }: LinkedInPost): FieldError[] {
  if (settings.media_type !== "DOCUMENT") return [];
  const refuse = (message: string) => [{ field: "media_type", message }];
  if (media.length === 0) return refuse("media_type DOCUMENT needs a document in photo.");
  if (media.some((item) => isSurely("image", item) || isSurely("video", item))) {
    return refuse("media_type DOCUMENT does not fit images and videos; leave it out.");
  }
  return [];
}

export const PAGE_IS_PUBLIC =
  "A LinkedIn page has no connections: its posts are PUBLIC. Leave visibility out.";

const checkVisibility = (
  { settings }: LinkedInPost,
  { platformAccountId = "" }: Target,
): FieldError[] =>
  refuseIf(
    settings.visibility === "CONNECTIONS" && isOrganization(platformAccountId),
    "visibility",
    PAGE_IS_PUBLIC,
  );

/** Source: spec, "Uploads: create", `linkedin`. */
export function check(post: LinkedInPost, target: Target): FieldError[] {
  return [
    ...checkTexts(post),
    ...checkCounts(post),
    ...post.media.flatMap(checkFile),
    ...checkType(post),
    ...altTexts.check(post),
    ...checkVisibility(post, target),
  ];
}
