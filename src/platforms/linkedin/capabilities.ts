import type { OtherApp } from "../../core/platforms.ts";
import type { Capabilities, Needs, ReconcileTiming } from "../connector.ts";
import type { ConsentScopes } from "../consent.ts";
import type { Mentions } from "../mentions.ts";

/**
 * UTF-16 units. Asterisks for bold and italic do not count; escaping backslashes do, because LinkedIn does not say
 * otherwise. Source: spec, "Content limits by platform".
 */
const MAX_TEXT = 3_000;
/** Images need fewer pixels. Source: LinkedIn, "Images API", image requirements. */
export const IMAGE_PIXELS_END = 36_152_320;
/** Source: LinkedIn, "Videos API", video specifications. */
export const MIN_VIDEO_BYTES = 75_000;
export const MIN_VIDEO_SECONDS = 3;
export const MAX_VIDEO_SECONDS = 30 * 60;

/** A version lives at least a year; LinkedIn does not list this one's end yet. */
export const apiVersion = {
  version: "202609",
  header: "LinkedIn-Version",
  sunset: null,
  source: "https://learn.microsoft.com/linkedin/marketing/integrations/migrations",
};

/** @see https://learn.microsoft.com/linkedin/marketing/community-management/members/post-statistics */
export const MEMBER_FIGURES = "r_member_postAnalytics";

/** Figures of a member's post take one call each. */
export const MEMBER_METRICS = 4;

export const MEMBER_POSTS_PER_READ = 4;

/**
 * Few, because an app in the Development tier may make 100 calls a day for each member, and publishing needs some.
 * @see https://learn.microsoft.com/linkedin/marketing/increasing-access
 */
export const MEASURED_MEMBER_POSTS = 15;

/** Source: LinkedIn, "Comments API". Only the Community Management API has these. */
export const MEMBER_COMMENTS = "w_member_social_feed";
export const PAGE_COMMENTS = "w_organization_social_feed";

const inWords = {
  w_member_social: "publish posts as the member",
  r_organization_social: "read the pages' posts",
  w_organization_social: "publish posts as the pages",
  rw_organization_admin: "find the pages, and read their figures",
  r_organization_social_feed: "read comments on the pages' posts",
  [MEMBER_FIGURES]: "read the figures of the member's posts",
  [MEMBER_COMMENTS]: "write comments as the member",
  [PAGE_COMMENTS]: "write comments as the pages",
};

/**
 * Page scopes need a LinkedIn product that few such apps have.
 * @see https://learn.microsoft.com/linkedin/shared/authentication/getting-access
 */
export const scopes = {
  required: ["openid", "profile", "w_member_social"],
  optional: [
    "r_organization_social",
    "w_organization_social",
    "rw_organization_admin",
    "r_organization_social_feed",
    MEMBER_FIGURES,
    MEMBER_COMMENTS,
    PAGE_COMMENTS,
  ],
  /** LinkedIn refuses the whole request when the app lacks one optional scope. */
  usual: [],
  inWords: {
    openid: "tell who is signed in",
    profile: "read the name and picture",
    ...inWords,
  },
} satisfies ConsentScopes;

export const PAGE_SCOPES = ["w_organization_social", "rw_organization_admin"];

export const PAGES_APP = "linkedin_pages" satisfies OtherApp;

/**
 * The app's only product is the Community Management API, which excludes `openid` and `profile`.
 * @see https://learn.microsoft.com/linkedin/marketing/increasing-access
 */
export const pagesScopes = {
  required: [
    "r_basicprofile",
    "w_member_social",
    "w_organization_social",
    "r_organization_social",
    "rw_organization_admin",
  ],
  optional: ["r_organization_social_feed", MEMBER_FIGURES, MEMBER_COMMENTS, PAGE_COMMENTS],
  usual: ["r_organization_social_feed", MEMBER_FIGURES],
  inWords: { r_basicprofile: "read the name and picture", ...inWords },
} satisfies ConsentScopes;

export const asks =
  "LinkedIn shows what this app may do, and you agree as the member that you are signed in as there; then choose yourself, or pages that you administer.";

export const pagesAsks =
  "LinkedIn shows what this app may do, and you agree as a member who administers the pages; then choose pages, or yourself.";

export const needs: Needs = {
  app: "For people, an app at developer.linkedin.com with Sign In with LinkedIn (OpenID Connect) and Share on LinkedIn; for pages, a second app with the Community Management API alone.",
  scopes: [...scopes.required, ...scopes.optional],
};

export const mentions: Mentions = {
  syntax: "@[Name](urn:li:organization:123)",
  note: "Write @[Name](urn:li:organization:123) for a page, or urn:li:person: with an id for a person. LinkedIn links the name where it is spelled as on LinkedIn.",
  takesUrns: true,
};

export const capabilities = {
  limits: {
    postCharacters: MAX_TEXT,
    photoPostCharacters: MAX_TEXT,
    /** UTF-16 units. Source: spec, "Content limits by platform". */
    titleCharacters: 400,
    /** Source: LinkedIn, "MultiImage API", `altText`. */
    altTextCharacters: 4_086,
    linkCharacters: null,
    tagsCharacters: null,
  },
  textField: "description",
  /** Per 24 hours. Source: spec, "Daily caps". */
  dailyPostCap: 150,
  bannedHashtags: [],
  mediaSupport: {
    kinds: ["image", "video", "document"],
    /** Source of this and all sizes: spec, "Content limits by platform". */
    maxCount: 20,
    textOnly: true,
    /** Source: LinkedIn, "Images API", image requirements. */
    imageTypes: ["image/jpeg", "image/png", "image/gif"],
    imageMaxBytes: 10_000_000,
    /** Source: LinkedIn, "Videos API", video specifications. */
    videoTypes: ["video/mp4"],
    videoMaxBytes: 500_000_000,
    /** Source: LinkedIn, "Documents API". */
    documentTypes: [
      "application/pdf",
      "application/msword",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      "application/vnd.ms-powerpoint",
      "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ],
    documentMaxBytes: 100_000_000,
  },
} satisfies Capabilities;

/** Seconds. One call may carry a document of 100 MB. */
export const timing: ReconcileTiming = { callSeconds: 60, acceptSeconds: 60, listSeconds: 60 };
