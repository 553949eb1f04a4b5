import type { Capabilities, Needs, ReconcileTiming, UntilAudit } from "../connector.ts";
import type { ConsentScopes } from "../consent.ts";
import type { Mentions } from "../mentions.ts";
import type { VideoRules } from "../meta/video-rules.ts";

/** UTF-16 units. Source: spec, "Content limits by platform". */
const MAX_CAPTION = 2_200;
/** Source of this limit and the next two: spec, "Content limits by platform". */
export const MAX_HASHTAGS = 30;
export const MAX_MENTIONS = 20;
export const MAX_COLLABORATORS = 3;
/** Per file. Source: Meta, "IG User Media", user_tags. */
export const MAX_USER_TAGS = 20;
export const MAX_IMAGE_BYTES = 8_000_000;
const MAX_VIDEO_BYTES = 300_000_000;

/** Source: spec, "Content limits by platform"; frame rates: Meta, "IG User Media", reel specifications. */
const ANY_VIDEO = { minFps: 23, maxFps: 60, maxWidth: 1_920, minRatio: 0.01, maxRatio: 10 };

/** Source: spec, "Content limits by platform". */
export const REEL_RULES: VideoRules = {
  ...ANY_VIDEO,
  minSeconds: 3,
  maxSeconds: 15 * 60,
  maxBytes: MAX_VIDEO_BYTES,
};
export const STORY_RULES: VideoRules = {
  ...ANY_VIDEO,
  minSeconds: 3,
  maxSeconds: 60,
  maxBytes: 100_000_000,
};

export const apiVersion = {
  version: "v26.0",
  header: null,
  sunset: null,
  source: "https://developers.facebook.com/docs/graph-api/changelog/versions",
};

export const COMMENTS = "instagram_business_manage_comments";

/** Source: Meta, "Business Login for Instagram". */
export const scopes = {
  required: ["instagram_business_basic", "instagram_business_content_publish"],
  optional: ["instagram_business_manage_insights", COMMENTS],
  usual: ["instagram_business_manage_insights"],
  inWords: {
    instagram_business_basic: "read the profile and posts",
    instagram_business_content_publish: "publish posts",
    instagram_business_manage_insights: "read how posts do",
    [COMMENTS]: "write comments under the account's posts",
  },
} satisfies ConsentScopes;

export const asks =
  "Instagram asks you to sign in with the professional account that posts, and to agree to what this app may do.";

/** @see https://developers.facebook.com/docs/instagram-platform/app-review */
export const untilAudit: UntilAudit = {
  account:
    "Until Meta has reviewed this instance's app, it connects only accounts that are its testers and have accepted that in Instagram's settings.",
};

export const needs: Needs = {
  app: "A Meta app with the use case Manage messaging and content on Instagram, API setup with Instagram login; it has an Instagram app id and secret of its own.",
  scopes: [...scopes.required, ...scopes.usual],
  /** @see https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/business-login */
  redirects: "https",
};

export const mentions: Mentions = {
  syntax: "@username",
  note: "Instagram links names itself, up to 20 in a post. Write @username.",
};

export const capabilities = {
  limits: {
    postCharacters: MAX_CAPTION,
    photoPostCharacters: MAX_CAPTION,
    titleCharacters: MAX_CAPTION,
    /** Source: Meta, "IG User Media", `alt_text`. */
    altTextCharacters: 1_000,
    linkCharacters: null,
    tagsCharacters: null,
  },
  /** Source: Meta, "IG User Media", image and reel specifications. */
  frames: [
    {
      kind: "image",
      minRatio: 4 / 5,
      maxRatio: 1.91,
      narrower: "cuts this to 4:5",
      wider: "cuts this to 1.91:1",
      several: "gives all pictures of a post the shape of the first one",
    },
    { kind: "video", maxRatio: 9 / 16, wider: "shows this with bars: a reel is 9:16" },
  ],
  textField: "title",
  /** Per 24 hours. Source: spec, "Daily caps". */
  dailyPostCap: 50,
  /** Instagram says that they cannot be found. Source: its guidelines against self-harm, 2012. */
  bannedHashtags: ["thinspiration", "probulimia", "proanorexia"],
  mediaSupport: {
    kinds: ["image", "video"],
    /** Files of a carousel. Source: spec, "Uploads: create", `instagram`. */
    maxCount: 10,
    textOnly: false,
    /** Instagram reads only JPEG; others are converted. */
    imageTypes: ["image/jpeg", "image/png", "image/webp", "image/gif"],
    imageMaxBytes: MAX_IMAGE_BYTES,
    videoTypes: ["video/mp4", "video/quicktime"],
    videoMaxBytes: MAX_VIDEO_BYTES,
  },
} satisfies Capabilities;

/** Seconds. Instagram lists new posts a little late. */
export const timing: ReconcileTiming = { callSeconds: 30, acceptSeconds: 60, listSeconds: 30 };

/** Enough to find one post without insights among fifty. */
export const INSIGHT_CALLS = 9;
