import type { Capabilities, Needs, ReconcileTiming, UntilAudit } from "../connector.ts";
import type { ConsentScopes } from "../consent.ts";
import type { Mentions } from "../mentions.ts";
import type { VideoRules } from "../meta/video-rules.ts";

/** Characters as Threads counts them. Source: spec, "Content limits by platform". */
const MAX_TEXT = 500;
/** Different links in a post. Source: Threads API, "Changelog", 22 December 2025. */
export const MAX_LINKS = 5;
/** Width divided by height. Source: Threads API, "Posts", image specifications. */
export const MAX_IMAGE_RATIO = 10;
/** Source: Threads API, "Posts", image specifications. */
export const READABLE_IMAGES = ["image/jpeg", "image/png"];
/** Source: spec, "Content limits by platform". */
const MAX_VIDEO_BYTES = 1_000_000_000;

/** Source: Threads API, "Posts", video specifications. */
export const VIDEO_RULES: VideoRules = {
  minSeconds: 0,
  maxSeconds: 5 * 60,
  maxBytes: MAX_VIDEO_BYTES,
  minFps: 23,
  maxFps: 60,
  maxWidth: 1_920,
  minRatio: 0.01,
  maxRatio: 10,
};

export const apiVersion = {
  version: "v1.0",
  header: null,
  sunset: null,
  source: "https://developers.facebook.com/docs/threads/changelog",
};

export const DELETES = "threads_delete";
const REPLIES = "threads_manage_replies";
const FINDS_REPLIES = "threads_read_replies";

/** Source: Threads API, "Get access tokens and permissions". */
export const scopes = {
  required: ["threads_basic", "threads_content_publish"],
  optional: ["threads_manage_insights", REPLIES, FINDS_REPLIES, DELETES],
  usual: ["threads_manage_insights", REPLIES, FINDS_REPLIES],
  inWords: {
    threads_basic: "read the profile and posts",
    threads_content_publish: "publish posts",
    threads_manage_insights: "read how posts do",
    [REPLIES]: "publish threads and first comments",
    [FINDS_REPLIES]: "find published replies",
    [DELETES]: "delete posts",
  },
} satisfies ConsentScopes;

export const asks =
  "Threads shows what this app may do, and you agree with the account that posts; switch accounts on threads.com first if it is another.";

/** @see https://developers.facebook.com/documentation/threads/get-started */
export const untilAudit: UntilAudit = {
  account:
    "Until Meta has reviewed this instance's app, it connects only accounts that are its testers and have accepted that in Threads' settings.",
};

export const needs: Needs = {
  app: "A Meta app with the use case Access the Threads API; it has a Threads app id and secret of its own.",
  scopes: [...scopes.required, ...scopes.usual],
  /** @see https://github.com/fbsamples/threads_api */
  redirects: "https",
};

export const mentions: Mentions = {
  syntax: "@username",
  note: "Threads links names itself. Write @username.",
};

export const capabilities = {
  limits: {
    postCharacters: MAX_TEXT,
    photoPostCharacters: MAX_TEXT,
    titleCharacters: MAX_TEXT,
    /** UTF-16 units. Source: spec, "Uploads: create", `threads`. */
    altTextCharacters: 1_000,
    linkCharacters: null,
    tagsCharacters: null,
  },
  textField: "title",
  /** Source: spec, "Bulk upload". */
  batchMaxFiles: 10,
  /** Per 24 hours; Threads takes 250. Source: spec, "Daily caps". */
  dailyPostCap: 150,
  bannedHashtags: [],
  mediaSupport: {
    kinds: ["image", "video"],
    /** Files of a carousel. Source: spec, "Uploads: create", `threads`. */
    maxCount: 20,
    textOnly: true,
    imageTypes: [...READABLE_IMAGES, "image/webp", "image/gif"],
    /** Source: spec, "Content limits by platform". */
    imageMaxBytes: 8_000_000,
    videoTypes: ["video/mp4", "video/quicktime"],
    videoMaxBytes: MAX_VIDEO_BYTES,
  },
} satisfies Capabilities;

/** Seconds. Threads lists new posts a little late. */
export const timing: ReconcileTiming = { callSeconds: 30, acceptSeconds: 60, listSeconds: 30 };

/** Cursor prefix for pages whose posts are read one by one. */
export const EACH = "each ";
export const EACH_PAGE = 20;
/** Cursor prefix for the further posts of own threads, which Threads does not list. */
export const OWN_REPLIES = "replies ";
