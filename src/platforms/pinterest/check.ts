import type { FieldError } from "../../core/errors.ts";
import { formatCount } from "../../core/text.ts";
import type { Post, PostMedia } from "../connector.ts";
import {
  IMAGE_TYPES,
  MAX_ALT_TEXT,
  MAX_CAROUSEL,
  MAX_DESCRIPTION,
  MAX_IMAGE_BYTES,
  MAX_LINK,
  MAX_TITLE,
  MAX_VIDEO_BYTES,
  VIDEO_TYPES,
} from "./capabilities.ts";
import { MAX_COVER_TIME_MS, type PinterestSettings } from "./settings.ts";

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

function checkLength(field: string, text: string | null, max: number): FieldError[] {
  if (text === null || text.length <= max) return [];
  const counts = `Pinterest takes ${formatCount(max)} characters, it has ${formatCount(text.length)}`;
  return [{ field, message: `Shorten ${field}: ${counts}.` }];
}

function checkLink(link: string | null): FieldError[] {
  const tooLong = checkLength("link", link, MAX_LINK);
  if (link === null || tooLong.length > 0) return tooLong;
  const isWeb = URL.canParse(link) && /^https?:$/.test(new URL(link).protocol);
  return isWeb ? [] : [{ field: "link", message: "link must be an http or https URL." }];
}

function checkFile({ kind, mime, sizeBytes }: PostMedia, index: number): FieldError[] {
  const field = kind === "video" ? "video" : "photo";
  if (kind === "document") {
    return [{ field, message: "Pinterest takes no documents; send images or a video." }];
  }
  const isVideo = kind === "video";
  const name = isVideo ? "The video" : `Image ${index + 1}`;
  const max = isVideo ? MAX_VIDEO_BYTES : MAX_IMAGE_BYTES;
  const errors: FieldError[] = [];
  if (mime !== null && !(isVideo ? VIDEO_TYPES : IMAGE_TYPES).includes(mime)) {
    const wanted = isVideo ? "MP4 or QuickTime" : "JPEG or PNG";
    errors.push({ field, message: `${name} is ${mime}; send ${wanted}.` });
  }
  if (sizeBytes !== null && sizeBytes > max) {
    const message = `${name} has ${formatCount(sizeBytes)} bytes; make it ${formatCount(max)} or less.`;
    errors.push({ field, message });
  }
  return errors;
}

function checkCount(media: PostMedia[]): FieldError[] {
  const videos = media.filter(({ kind }) => kind === "video").length;
  if (media.length === 0) {
    const message = `Send 1 to ${MAX_CAROUSEL} images, or a video: there are no pins of text alone.`;
    return [{ field: "photo", message }];
  }
  if (videos > 1) {
    const message = `A pin takes one video; ${videos} were sent.`;
    return [{ field: "video", message }];
  }
  if (videos === 1 && media.length > 1) {
    const message = "A pin takes a video or images, not both; send the video alone.";
    return [{ field: "video", message }];
  }
  if (media.length <= MAX_CAROUSEL) return [];
  const message = `A carousel takes up to ${MAX_CAROUSEL} images; ${media.length} were sent.`;
  return [{ field: "photo", message }];
}

/** How far sides may differ from each other, rounded pixels included. */
const RATIO_SLACK = 0.02;

/** The long side by the short one, so that a photo which is stored lying on its side counts the same. */
function ratioOf({ width, height }: PostMedia): number | null {
  if (width === null || height === null) return null;
  return Math.max(width, height) / Math.min(width, height);
}

/** The images of a carousel are shown in one frame, so Pinterest wants one aspect ratio of them. */
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

/** A file behind a URL is an image by its field alone; it may still turn out to be a video. */
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

/** Everything Pinterest would refuse. Source: spec, "Uploads: create", `pinterest`. */
export function check({ title, description, media, settings }: PinterestPost): FieldError[] {
  return [
    ...checkBoard(settings),
    ...checkLength("title", title, MAX_TITLE),
    ...checkLength("description", description, MAX_DESCRIPTION),
    ...checkLink(settings.link),
    ...checkLength("alt_text", settings.alt_text, MAX_ALT_TEXT),
    ...checkCount(media),
    ...media.flatMap(checkFile),
    ...checkRatios(media),
    ...checkCover(settings.pinterest_cover_time_ms, media),
  ];
}
