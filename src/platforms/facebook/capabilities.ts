import type { Capabilities, Needs, ReconcileTiming, UntilAudit } from "../connector.ts";
import type { ConsentScopes } from "../consent.ts";
import type { Mentions } from "../mentions.ts";

/** UTF-16 units. Source: spec, "Content limits by platform". */
const MAX_TEXT = 63_206;

/** Source: spec, and Meta, "Reels Publishing API", specifications. */
export const REEL_RULES = {
  minSeconds: 3,
  maxSeconds: 90,
  minFps: 24,
  maxFps: 60,
  minWidth: 540,
  minHeight: 960,
  ratio: 9 / 16,
  /** Encoders round sides up to a multiple of 16, such as 1088 x 1920. */
  ratioTolerance: 0.01,
} as const;

export const apiVersion = {
  version: "v26.0",
  header: null,
  sunset: null,
  source: "https://developers.facebook.com/docs/graph-api/changelog/versions",
};

export const COMMENTS = "pages_manage_engagement";
export const READS_COMMENTS = "pages_read_user_content";

/** Source: Meta, "Permissions Reference". */
export const scopes = {
  required: ["pages_show_list", "pages_read_engagement", "pages_manage_posts"],
  optional: ["read_insights", "business_management", COMMENTS, READS_COMMENTS],
  usual: ["read_insights", "business_management"],
  inWords: {
    pages_show_list: "list the Pages",
    pages_read_engagement: "read the Pages' posts",
    pages_manage_posts: "publish posts as the Pages",
    read_insights: "read how posts do",
    business_management: "find the Pages of business portfolios",
    [COMMENTS]: "write comments under the Pages' posts",
    [READS_COMMENTS]: "read comments under the Pages' posts",
  },
} satisfies ConsentScopes;

export const asks =
  "Facebook asks for the Pages that this app may publish as: choose each of them, and leave every permission switched on.";

/** @see https://developers.facebook.com/documentation/development/release */
export const untilAudit: UntilAudit = {
  account:
    "Until Meta has reviewed this instance's app, only people with a role in it can connect Pages. While it is in development mode, only they see its posts.",
};

export const needs: Needs = {
  app: "A Meta app with the use case Manage everything on your Page; it posts as Pages, never as a person. With Facebook Login for Business, its configuration is FACEBOOK_CONFIG_ID.",
  scopes: [...scopes.required, ...scopes.usual],
};

export const mentions: Mentions = {
  syntax: "@[page-id]",
  note: "Write @[123], with the id of a Page. Facebook links it where Meta has approved the feature Page Mentioning for this instance's app; elsewhere it stays text.",
  mayStayText: {
    pattern: /@\[\d[\d,\s]*\]/,
    warning:
      "Facebook links @[…] only where Meta has approved the feature Page Mentioning for this instance's app; elsewhere it stays text",
  },
};

export const capabilities = {
  limits: {
    postCharacters: MAX_TEXT,
    photoPostCharacters: MAX_TEXT,
    /** Source: spec, "Content limits by platform". */
    titleCharacters: 255,
    /** Meta names no limit for `alt_text_custom`; this is the one of its other platforms. */
    altTextCharacters: 1_000,
    linkCharacters: null,
    tagsCharacters: null,
  },
  textField: "description",
  /** Per 24 hours. Source: spec, "Daily posting caps". */
  dailyPostCap: 25,
  bannedHashtags: [],
  mediaSupport: {
    kinds: ["image", "video"],
    /** Images of an album. Source: spec, "Bulk upload". */
    maxCount: 10,
    textOnly: true,
    /** Meta does not list WebP, so it is converted. Source: Meta, "Page Photos". */
    imageTypes: ["image/jpeg", "image/png", "image/gif", "image/webp"],
    /** Source: spec, "Content limits by platform". */
    imageMaxBytes: 4_000_000,
    videoTypes: ["video/mp4", "video/quicktime"],
    /** Source: spec, "Content limits by platform". */
    videoMaxBytes: 1_000_000_000,
  },
} satisfies Capabilities;

/** Seconds. One call sends up to 50 MB of video. */
export const timing: ReconcileTiming = { callSeconds: 60, acceptSeconds: 60, listSeconds: 30 };
