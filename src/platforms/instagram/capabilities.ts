import type { Capabilities, Needs, ReconcileTiming } from "../connector.ts";
import type { ConsentScopes } from "../consent.ts";
import type { VideoRules } from "../meta/video-rules.ts";

/** UTF-16 units of a caption. Source: spec, "Content limits by platform". */
const MAX_CAPTION = 2_200;
/** Source: spec, "Content limits by platform". */
export const MAX_HASHTAGS = 30;
/** Source: spec, "Content limits by platform". */
export const MAX_MENTIONS = 20;
/** Source: spec, "Content limits by platform". */
export const MAX_COLLABORATORS = 3;
/** Accounts tagged in one medium. Source: Meta, "IG User Media", user_tags. */
export const MAX_USER_TAGS = 20;
/** Bytes of one image. Source: spec, "Content limits by platform". */
export const MAX_IMAGE_BYTES = 8_000_000;
/** Bytes of one video. Source: spec, "Content limits by platform". */
const MAX_VIDEO_BYTES = 300_000_000;

/**
 * Limits on every video. Source: spec, "Content limits by platform"; frame rates: Meta, "IG User
 * Media", reel specifications.
 */
const ANY_VIDEO = { minFps: 23, maxFps: 60, maxWidth: 1_920, minRatio: 0.01, maxRatio: 10 };

/** Source: spec, "Content limits by platform". */
export const REEL_RULES: VideoRules = {
  ...ANY_VIDEO,
  minSeconds: 3,
  maxSeconds: 15 * 60,
  maxBytes: MAX_VIDEO_BYTES,
};
/** Source: spec, "Uploads: create", Story. */
export const STORY_RULES: VideoRules = {
  ...ANY_VIDEO,
  minSeconds: 3,
  maxSeconds: 60,
  maxBytes: 100_000_000,
};

/** Hashtags that Instagram itself says cannot be found. Source: its guidelines against self-harm, 2012. */
const BANNED_HASHTAGS = ["thinspiration", "probulimia", "proanorexia"];

/** Posts in any 24 hours. Source: spec, "Daily caps". */
const DAILY_POST_CAP = 50;

export const apiVersion = {
  version: "v26.0",
  header: null,
  sunset: null,
  source: "https://developers.facebook.com/docs/graph-api/changelog/versions",
};

/** Source: Meta, "Business Login for Instagram". */
export const scopes = {
  required: ["instagram_business_basic", "instagram_business_content_publish"],
  optional: ["instagram_business_manage_insights"],
  inWords: {
    instagram_business_basic: "read the profile and posts",
    instagram_business_content_publish: "publish posts",
    instagram_business_manage_insights: "read how posts do",
  },
} satisfies ConsentScopes;

export const asks =
  "Instagram asks you to sign in with the professional account that posts, and to agree to what this app may do.";

export const needs: Needs = {
  app: "A Meta app of type Business with the product Instagram, API setup with Instagram login.",
  scopes: [...scopes.required, ...scopes.optional],
  review: "App review with advanced access, and business verification.",
  /** @see https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/business-login */
  redirects: "https",
};

export const capabilities = {
  limits: {
    postCharacters: MAX_CAPTION,
    photoPostCharacters: MAX_CAPTION,
    titleCharacters: MAX_CAPTION,
    altTextCharacters: null,
    linkCharacters: null,
    tagsCharacters: null,
  },
  textField: "title",
  dailyPostCap: DAILY_POST_CAP,
  bannedHashtags: BANNED_HASHTAGS,
  mediaSupport: {
    kinds: ["image", "video"],
    /** Files of a carousel. Source: spec, "Uploads: create", `instagram`. */
    maxCount: 10,
    textOnly: false,
    /** Instagram reads JPEG alone; the others are converted for it. */
    imageTypes: ["image/jpeg", "image/png", "image/webp", "image/gif"],
    /** Source: spec, "Content limits by platform". */
    imageMaxBytes: MAX_IMAGE_BYTES,
    videoTypes: ["video/mp4", "video/quicktime"],
    videoMaxBytes: MAX_VIDEO_BYTES,
  },
} satisfies Capabilities;

/** Seconds. The status of a container follows its publishing within moments; listings lag a little. */
export const timing: ReconcileTiming = { callSeconds: 30, acceptSeconds: 60, listSeconds: 30 };

/** Calls that are made for the insights of a page: enough to find one post among fifty that has none. */
export const INSIGHT_CALLS = 9;
