import type { FieldError } from "../../core/errors.ts";
import type { Post, PostMedia } from "../connector.ts";
import { altTextsFor } from "../kit/alt-texts.ts";
import { checksFor, ofKind } from "../kit/checks.ts";
import { capabilities } from "./capabilities.ts";
import { MAX_COVER_TIME_MS, type PinterestSettings } from "./settings.ts";

const { limits, mediaSupport } = capabilities;
const checks = checksFor("Pinterest", capabilities);

/** A pin has one alternative text: the one of its first file is sent. */
export const altTexts = altTextsFor<PinterestSettings>({
  platform: "Pinterest",
  capabilities,
  isTaken: ({ media }, index) => index === 0 || media[index]?.altText === media[0]?.altText,
  own: ({ alt_text }) => alt_text,
});

type PinterestPost = Post<PinterestSettings>;

const BOARD_ID = /^\d{1,24}$/;
const MILLISECONDS = /^\d+$/;

function checkBoard({ pinterest_board_id, board_id }: PinterestSettings): FieldError[] {
  const field =
    pinterest_board_id === null && board_id !== null ? "board_id" : "pinterest_board_id";
  const board = pinterest_board_id ?? board_id;
  if (board === null) {
    return [{ field, message: "Name the board: pinterest_board_id is missing." }];
  }
  if (!BOARD_ID.test(board)) {
    return [{ field, message: `${field} must be the numeric id of a board.` }];
  }
  if (board_id !== null && board_id !== board) {
    const message = "board_id and pinterest_board_id name different boards; send one of them.";
    return [{ field: "board_id", message }];
  }
  return [];
}

const checkLength = (field: string, text: string | null, max: number): FieldError[] =>
  checks.length(field, field, { count: text?.length ?? 0, max });

function checkLink(link: string | null): FieldError[] {
  const tooLong = checkLength("link", link, limits.linkCharacters);
  if (link === null || tooLong.length > 0) return tooLong;
  const isWeb = URL.canParse(link) && /^https?:$/.test(new URL(link).protocol);
  return isWeb ? [] : [{ field: "link", message: "link must be an http or https URL." }];
}

function checkFile(item: PostMedia, index: number): FieldError[] {
  if (item.kind === "document") {
    const message = "Pinterest takes no documents; send images or a video.";
    return [{ field: "photo", message }];
  }
  const isVideo = item.kind === "video";
  return checks.file(item, {
    field: isVideo ? "video" : "photo",
    name: isVideo ? "The video" : `Image ${index + 1}`,
  });
}

function checkCount(media: PostMedia[]): FieldError[] {
  const videos = ofKind(media, "video").length;
  const { maxCount } = mediaSupport;
  if (media.length === 0) {
    const message = `Send 1 to ${maxCount} images, or a video: there are no pins of text alone.`;
    return [{ field: "photo", message }];
  }
  if (videos > 1) return checks.count("video", videos, 1, "video", "A pin");
  if (videos === 1 && media.length > 1) {
    const message = "A pin takes a video or images, not both; send the video alone.";
    return [{ field: "video", message }];
  }
  return checks.count("photo", media.length, maxCount, "images", "A carousel");
}

/** Relative tolerance, because pixels are rounded. */
const RATIO_SLACK = 0.02;

/** Long side by short side, because photos may be stored rotated. */
function ratioOf({ width, height }: PostMedia): number | null {
  if (width === null || height === null) return null;
  return Math.max(width, height) / Math.min(width, height);
}

function checkRatios(media: PostMedia[]): FieldError[] {
  const [first = null, ...others] = media.map(ratioOf);
  if (first === null || media.some(({ kind }) => kind !== "image")) return [];
  const odd = others.findIndex(
    (ratio) => ratio !== null && Math.abs(ratio / first - 1) > RATIO_SLACK,
  );
  const [one, other] = [media[0], media[odd + 1]];
  if (odd === -1 || !one || !other) return [];
  const sizes = `image 1 is ${one.width} x ${one.height}, image ${odd + 2} is ${other.width} x ${other.height}`;
  const message = `The images of a carousel must have the same aspect ratio; ${sizes}.`;
  return [{ field: "photo", message }];
}

const areSurelyImages = (media: PostMedia[]): boolean =>
  media.length > 0 &&
  media.every(({ kind, mime }) => kind === "image" && (mime !== null || media.length > 1));

function checkCover(sent: string | null, media: PostMedia[]): FieldError[] {
  const field = "pinterest_cover_time_ms";
  if (sent === null) return [];
  if (!MILLISECONDS.test(sent) || Number(sent) > MAX_COVER_TIME_MS) {
    return [{ field, message: `${field} must be a whole number of milliseconds.` }];
  }
  if (!areSurelyImages(media)) return [];
  return [{ field, message: `${field} is for videos; leave it out with images.` }];
}

/** Source: spec, "Uploads: create", `pinterest`. */
export function check(post: PinterestPost): FieldError[] {
  const { title, description, media, settings } = post;
  return [
    ...checkBoard(settings),
    ...checkLength("title", title, limits.titleCharacters),
    ...checkLength("description", description, limits.postCharacters),
    ...checkLink(settings.link),
    ...checkLength("alt_text", settings.alt_text, limits.altTextCharacters),
    ...altTexts.check(post),
    ...checkCount(media),
    ...media.flatMap(checkFile),
    ...checkRatios(media),
    ...checkCover(settings.pinterest_cover_time_ms, media),
  ];
}
