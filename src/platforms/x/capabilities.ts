import type { Capabilities, Needs, OwnPrefix, ReconcileTiming } from "../connector.ts";
import type { ConsentScopes } from "../consent.ts";
import type { Mentions } from "../mentions.ts";

/** Weighted characters without X Premium, then with it. Source: spec, "Content limits by platform". */
const MAX_TEXT = 280;
export const MAX_PREMIUM_TEXT = 25_000;
/** Bytes. Source: X, "Media best practices", GIFs. */
export const MAX_GIF_BYTES = 15_000_000;
/** Pixels. Source: X, "Media best practices", GIFs. */
export const MAX_GIF_SIZE = { width: 1_280, height: 1_080 };
export const GIF = "image/gif";
/** Seconds. Source: spec, "Content limits by platform"; X's own limit depends on the account. */
export const MAX_VIDEO_SECONDS = 20 * 60;
export const MAX_PREMIUM_VIDEO_SECONDS = 125 * 60;
/**
 * Seconds. X's documents of 2026 disagree on longer `tweet_video`, but all allow longer `amplify_video`. Source: X,
 * "Media best practices".
 */
export const MAX_TWEET_VIDEO_SECONDS = 140;
/** Source: X, "Create Post", `media.tagged_user_ids`. */
export const MAX_TAGGED_USERS = 10;
/** Bytes. Source: spec, "Uploads: create", `x_subtitles_url`. */
export const MAX_SUBTITLES_BYTES = 1_000_000;
/** Source: X, "Create Post", `poll`. */
export const POLL_OPTIONS = { least: 2, max: 4, characters: 25 };
export const POLL_MINUTES = { least: 5, max: 10_080, usual: 1_440 };

export const apiVersion = {
  version: "2",
  header: null,
  sunset: null,
  source: "https://docs.x.com/changelog",
};

/** Source: X, "OAuth 2.0", scopes. */
export const scopes = {
  required: ["tweet.read", "tweet.write", "users.read", "media.write", "offline.access"],
  optional: [],
  inWords: {
    "tweet.read": "read posts",
    "tweet.write": "publish posts",
    "users.read": "read the profile",
    "media.write": "upload pictures and videos",
    "offline.access": "stay connected",
  },
} satisfies ConsentScopes;

export const asks =
  "X shows what this app may do, and you agree with the account that posts; switch accounts on X first if it is another.";

export const needs: Needs = {
  app: "An app at console.x.com with OAuth 2.0 as a confidential client, and API credits: X charges for every post.",
  scopes: scopes.required,
  /** @see https://docs.x.com/fundamentals/developer-apps */
  redirects: "https, or http://127.0.0.1",
};

export const mentions: Mentions = {
  syntax: "@handle",
  note: "X links handles itself, and may refuse posts that mention people outside the conversation. Write @handle.",
};

export const capabilities = {
  limits: {
    postCharacters: MAX_TEXT,
    photoPostCharacters: MAX_TEXT,
    titleCharacters: null,
    /** Source: X, "Create media metadata", `alt_text.text`. */
    altTextCharacters: 1_000,
    linkCharacters: null,
    tagsCharacters: null,
  },
  longText: { setting: "x_premium", characters: MAX_PREMIUM_TEXT },
  textField: "title",
  /** Per 24 hours. Source: spec, "Daily caps". */
  dailyPostCap: 50,
  bannedHashtags: [],
  mediaSupport: {
    kinds: ["image", "video"],
    /** Source: spec, "Content limits by platform". */
    maxCount: 4,
    textOnly: true,
    /** Source: X, "Media best practices", images. */
    imageTypes: ["image/jpeg", "image/png", "image/webp", GIF],
    imageMaxBytes: 5_000_000,
    /** Source: X, "Media best practices", videos. */
    videoTypes: ["video/mp4", "video/quicktime"],
    /** X's limit depends on the account. Source: spec, "Content limits by platform". */
    videoMaxBytes: 1_000_000_000,
  },
} satisfies Capabilities;

/**
 * US dollars, changed without notice; X's console has the current ones.
 *
 * @see https://docs.x.com/x-api/getting-started/pricing
 */
export const PRICES = {
  post: 0.015,
  linkPost: 0.2,
  readUser: 0.01,
  readPost: 0.005,
} as const;

/** Source: spec, "Time limits": X duplicate-content window. */
export const repeats = {
  withinDays: 30,
  refusal: "X does not take the same content twice within 30 days",
};

/** Source: spec, "Bulk upload". */
export const onePerBatch = {
  refusal: "A batch takes one X account; send the others on their own.",
};

/** Source: spec, "Platform fields", `x`. */
export const ownPrefix: OwnPrefix = { prefix: "x_", refusal: "is not a field of X" };

/** Seconds. Posts appear late in their author's timeline. */
export const timing: ReconcileTiming = { callSeconds: 20, acceptSeconds: 30, listSeconds: 30 };
