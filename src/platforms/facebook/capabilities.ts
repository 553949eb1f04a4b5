import type { Capabilities, Needs, SettleTiming } from "../connector.ts";

/** UTF-16 units of a post's text. Source: spec, "Content limits by platform". */
export const MAX_TEXT = 63_206;
/** Source: spec, "Content limits by platform". */
export const MAX_TITLE = 255;
/** Images of an album. Source: spec, "Bulk upload". */
export const MAX_ALBUM = 10;
/** Bytes of one image. Source: spec, "Content limits by platform". */
export const MAX_IMAGE_BYTES = 4_000_000;
/** WebP is converted: it is not among the formats that Meta names. Source: Meta, "Page Photos". */
export const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"];
/** Bytes of one video. Source: spec, "Content limits by platform". */
export const MAX_VIDEO_BYTES = 1_000_000_000;
export const VIDEO_TYPES = ["video/mp4", "video/quicktime"];

/** What the header of a reel may say. Source: spec, and Meta, "Reels Publishing API", specifications. */
export const REEL_RULES = {
  minSeconds: 3,
  maxSeconds: 90,
  minFps: 24,
  maxFps: 60,
  minWidth: 540,
  minHeight: 960,
  /** Width by height. */
  ratio: 9 / 16,
  /** Encoders round sides up to a multiple of 16, such as 1088 x 1920. */
  ratioTolerance: 0.01,
} as const;

/** Posts in any 24 hours. Source: spec, "Daily posting caps". */
const DAILY_POST_CAP = 25;

export const needs: Needs = {
  app: "A Meta app of type Business with the product Facebook Login; it posts as Pages, never as a person.",
  scopes: [
    "pages_show_list",
    "pages_read_engagement",
    "pages_manage_posts",
    "read_insights",
    "business_management",
  ],
  review: "App review with advanced access, and business verification.",
};

export const capabilities: Capabilities = {
  limits: {
    postCharacters: MAX_TEXT,
    photoPostCharacters: MAX_TEXT,
    titleCharacters: MAX_TITLE,
    altTextCharacters: null,
    linkCharacters: null,
    tagsCharacters: null,
  },
  dailyPostCap: DAILY_POST_CAP,
  bannedHashtags: [],
  mediaSupport: {
    kinds: ["image", "video"],
    maxCount: MAX_ALBUM,
    textOnly: true,
    imageTypes: IMAGE_TYPES,
    imageMaxBytes: MAX_IMAGE_BYTES,
    videoTypes: VIDEO_TYPES,
    videoMaxBytes: MAX_VIDEO_BYTES,
  },
};

/** Seconds. A call may carry 50 MB of a video. */
export const timing: SettleTiming = { callSeconds: 60, acceptSeconds: 60, listSeconds: 30 };
