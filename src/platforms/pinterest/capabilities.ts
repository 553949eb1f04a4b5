import type { Capabilities, Needs, SettleTiming } from "../connector.ts";

/** UTF-16 units. Source: spec, "Content limits by platform". */
export const MAX_TITLE = 100;
/** UTF-16 units; Pinterest itself takes 800. Source: spec, "Content limits by platform". */
export const MAX_DESCRIPTION = 500;
/** Source: spec, "Content limits by platform". */
export const MAX_LINK = 2_048;
/** UTF-16 units. Source: spec, "Content limits by platform". */
export const MAX_ALT_TEXT = 500;
/** Source: spec, "Uploads: create", `pinterest`. */
export const MAX_CAROUSEL = 5;
/** Bytes of one image. Source: spec, "Content limits by platform". */
export const MAX_IMAGE_BYTES = 20_000_000;
/** Source: spec, "Uploads: create", `pinterest`. */
export const IMAGE_TYPES = ["image/jpeg", "image/png"];
/** Bytes of one video. Source: spec, "Content limits by platform". */
export const MAX_VIDEO_BYTES = 2_000_000_000;
/** M4V is MP4 by its bytes. Source: spec, "Presigned upload", `pinterest_videos`. */
export const VIDEO_TYPES = ["video/mp4", "video/quicktime"];

/** Posts in any 24 hours. Source: spec, "Daily caps". */
const DAILY_POST_CAP = 20;

/** Tokens live 30 days, and what renews them 60: an account that rests is renewed in between. */
export const REFRESH_AHEAD_SECONDS = 5 * 86_400;

export const needs: Needs = {
  app: "An app at developers.pinterest.com.",
  scopes: [
    "boards:read",
    "boards:read_secret",
    "boards:write",
    "boards:write_secret",
    "pins:read",
    "pins:read_secret",
    "pins:write",
    "pins:write_secret",
    "user_accounts:read",
  ],
  review: "Standard access, with a demo video: until it is given, Pinterest refuses every pin.",
};

export const capabilities: Capabilities = {
  limits: {
    postCharacters: MAX_DESCRIPTION,
    photoPostCharacters: MAX_DESCRIPTION,
    titleCharacters: MAX_TITLE,
    altTextCharacters: MAX_ALT_TEXT,
    linkCharacters: MAX_LINK,
    tagsCharacters: null,
  },
  dailyPostCap: DAILY_POST_CAP,
  bannedHashtags: [],
  mediaSupport: {
    kinds: ["image", "video"],
    maxCount: MAX_CAROUSEL,
    textOnly: false,
    imageTypes: IMAGE_TYPES,
    imageMaxBytes: MAX_IMAGE_BYTES,
    videoTypes: VIDEO_TYPES,
    videoMaxBytes: MAX_VIDEO_BYTES,
  },
};

/**
 * Seconds. A video goes to Pinterest's storage in one request that cannot be resumed, so a call gets
 * nearly all of the lease. A video of 2 GB arrives in that time at 27 MB a second; what a line of
 * 10 MB a second carries ends at 750 MB. A transfer that takes longer is cut off, begun anew after each
 * back-off, and fails in the end as platform_unavailable.
 */
export const timing: SettleTiming = { callSeconds: 75, acceptSeconds: 60, listSeconds: 60 };
