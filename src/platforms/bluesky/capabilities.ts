import type { Capabilities, Needs, SettleTiming } from "../connector.ts";

/** Graphemes of a post's text. Source: spec, "Uploads: create", `bluesky`. */
export const MAX_TEXT_GRAPHEMES = 300;
/** UTF-8 bytes of a post's text. Source: spec, "Uploads: create", `bluesky`. */
export const MAX_TEXT_BYTES = 3_000;
/** Graphemes of one alt text. Source: spec, "Content limits by platform". */
export const MAX_ALT_GRAPHEMES = 1_000;
/** Images of one post. Source: lexicon app.bsky.embed.images. */
export const MAX_IMAGES = 4;
/** Bytes of one image. Source: lexicon app.bsky.embed.images. */
export const MAX_IMAGE_BYTES = 2_000_000;
/** Source: spec, "Presigned upload", route `bluesky_photos`. */
export const IMAGE_TYPES = ["image/jpeg", "image/png", "image/webp", "image/gif"];
/** Bytes of one video; the network itself takes 300 MB. Source: spec, "Content limits by platform". */
export const MAX_VIDEO_BYTES = 100_000_000;
/** Whatever is not MP4 is converted by the network. Source: Bluesky's own client, its upload of videos. */
export const VIDEO_TYPES = ["video/mp4", "video/quicktime", "video/webm"];

/**
 * Posts in any 24 hours. Spec is silent: it names a cap of 150 without its platform; Bluesky's own
 * limits on writes allow far more.
 */
const DAILY_POST_CAP = 150;

export const needs: Needs = { app: null, scopes: [], review: null };

export const capabilities: Capabilities = {
  limits: {
    postCharacters: MAX_TEXT_GRAPHEMES,
    photoPostCharacters: MAX_TEXT_GRAPHEMES,
    titleCharacters: null,
    altTextCharacters: MAX_ALT_GRAPHEMES,
    linkCharacters: null,
    tagsCharacters: null,
  },
  dailyPostCap: DAILY_POST_CAP,
  bannedHashtags: [],
  mediaSupport: {
    kinds: ["image", "video"],
    maxCount: MAX_IMAGES,
    textOnly: true,
    imageTypes: IMAGE_TYPES,
    imageMaxBytes: MAX_IMAGE_BYTES,
    videoTypes: VIDEO_TYPES,
    videoMaxBytes: MAX_VIDEO_BYTES,
  },
};

/** Seconds. A record is read by its key from the server that wrote it, so there is hardly any listing lag. */
export const timing: SettleTiming = { callSeconds: 20, acceptSeconds: 30, listSeconds: 5 };
