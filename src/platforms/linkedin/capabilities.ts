import type { Capabilities, Needs, ReconcileTiming } from "../connector.ts";
import type { ConsentScopes } from "../consent.ts";

/**
 * In UTF-16 units. Asterisks for bold and italic do not count. Escaping backslashes count, because LinkedIn does not
 * say otherwise. Source: spec, "Content limits by platform".
 */
const MAX_TEXT = 3_000;
/** Images need fewer pixels than this. Source: LinkedIn, "Images API", image requirements. */
export const IMAGE_PIXELS_END = 36_152_320;
/** Source: LinkedIn, "Videos API", video specifications. */
export const MIN_VIDEO_BYTES = 75_000;
export const MIN_VIDEO_SECONDS = 3;
export const MAX_VIDEO_SECONDS = 30 * 60;

/** Each version lives at least twelve months. */
export const apiVersion = {
  version: "202609",
  header: "LinkedIn-Version",
  sunset: "2027-09-15",
  source: "https://learn.microsoft.com/linkedin/marketing/versioning",
};

/**
 * Page scopes need a LinkedIn product that few apps have.
 * @see https://learn.microsoft.com/linkedin/shared/authentication/getting-access
 */
export const scopes = {
  required: ["openid", "profile", "w_member_social"],
  optional: [
    "r_organization_social",
    "w_organization_social",
    "rw_organization_admin",
    "r_organization_social_feed",
  ],
  inWords: {
    openid: "tell who is signed in",
    profile: "read the name and picture",
    w_member_social: "publish posts as the member",
    r_organization_social: "read the pages' posts",
    w_organization_social: "publish posts as the pages",
    rw_organization_admin: "find the pages, and read their figures",
    r_organization_social_feed: "read comments on the pages' posts",
  },
} satisfies ConsentScopes;

export const PAGE_SCOPES = ["w_organization_social", "rw_organization_admin"];

export const asks =
  "LinkedIn shows what this app may do, and you agree as the member that you are signed in as there; then choose yourself, or pages that you administer.";

export const needs: Needs = {
  app: "An app at developer.linkedin.com with Sign In with LinkedIn (OpenID Connect) and Share on LinkedIn; for pages the Community Management API, and APP_SCOPES.",
  scopes: [...scopes.required, ...scopes.optional],
};

export const capabilities = {
  limits: {
    postCharacters: MAX_TEXT,
    photoPostCharacters: MAX_TEXT,
    /** UTF-16 units. Source: spec, "Content limits by platform". */
    titleCharacters: 400,
    altTextCharacters: null,
    linkCharacters: null,
    tagsCharacters: null,
  },
  textField: "description",
  /** Per 24 hours. Source: spec, "Daily caps". */
  dailyPostCap: 150,
  bannedHashtags: [],
  mediaSupport: {
    kinds: ["image", "video", "document"],
    /** Source of the count and of all sizes: spec, "Content limits by platform". */
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

/** In seconds. One call may carry a document of 100 MB. */
export const timing: ReconcileTiming = { callSeconds: 60, acceptSeconds: 60, listSeconds: 60 };
