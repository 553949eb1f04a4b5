import type { Capabilities, Needs, ReconcileTiming, UntilAudit } from "../connector.ts";
import type { ConsentScopes } from "../consent.ts";
import type { Mentions } from "../mentions.ts";
import type { PlatformTerms } from "../terms.ts";

/** UTF-8. Source: YouTube Data API, "Videos", `snippet.description`. */
export const MAX_DESCRIPTION_BYTES = 5_000;
/** Source: spec, "Uploads: create", `youtube`. */
export const MAX_SCHEDULE_DAYS = 365;
/** Source: YouTube Help, "Upload videos longer than 15 minutes". */
export const MAX_VIDEO_SECONDS = 12 * 3_600;
/** For a channel without a verified phone number. Source: YouTube Help, "Upload videos longer than 15 minutes". */
export const MAX_UNVERIFIED_SECONDS = 15 * 60;
/** 2 MB and these types. Source: spec, "Content limits by platform". */
const thumbnail = {
  types: ["image/jpeg", "image/png"],
  maxBytes: 2_097_152,
  /** @see https://developers.google.com/youtube/v3/revision_history */
  note: "YouTube itself takes up to 50 MB since 14 September 2026.",
};

/**
 * YouTube requires a multiple of 262,144 for every chunk but the last.
 * @see https://developers.google.com/youtube/v3/guides/using_resumable_upload_protocol
 */
export const CHUNK_BYTES = 16_777_216;

export const apiVersion = {
  version: "v3",
  header: null,
  sunset: null,
  source: "https://developers.google.com/youtube/v3/revision_history",
};

export const FORCE_SSL = "https://www.googleapis.com/auth/youtube.force-ssl";

/** @see https://developers.google.com/youtube/v3/guides/auth/server-side-web-apps */
export const scopes = {
  required: [
    "https://www.googleapis.com/auth/youtube.upload",
    "https://www.googleapis.com/auth/youtube.readonly",
  ],
  optional: [FORCE_SSL],
  usual: [],
  inWords: {
    "https://www.googleapis.com/auth/youtube.upload": "upload videos",
    "https://www.googleapis.com/auth/youtube.readonly": "read the channel and its videos",
    [FORCE_SSL]: "delete videos, and write comments under them",
  },
} satisfies ConsentScopes;

export const asks =
  "Google shows your accounts and their channels: choose the channel that posts, and leave both boxes ticked.";

/** @see https://developers.google.com/identity/protocols/oauth2/production-readiness/sensitive-scope-verification */
export const untilAudit: UntilAudit = {
  account:
    "Until Google has verified this instance's app, it warns of an unverified app, and at most 100 people can connect. While the app is in testing, only its test users can, and each login ends after seven days.",
};

export const needs: Needs = {
  app: "A Google Cloud project with the YouTube Data API v3 and an OAuth client of type web application.",
  scopes: scopes.required,
  /** @see https://developers.google.com/identity/protocols/oauth2/web-server#uri-validation */
  redirects: "https, or http://localhost",
};

/** @see https://developers.google.com/youtube/terms/developer-policies III.A */
export const terms: PlatformTerms = {
  api: "YouTube API Services",
  uses: "reads the name and picture of the channel, its videos and their figures, and publishes videos",
  service: { name: "YouTube's Terms of Service", url: "https://www.youtube.com/t/terms" },
  privacy: { name: "Google's Privacy Policy", url: "http://www.google.com/policies/privacy" },
  access: {
    name: "Google's page of connected apps",
    url: "https://myaccount.google.com/permissions",
  },
};

export const mentions: Mentions = {
  syntax: "@handle",
  note: "YouTube links handles itself. Write @handle.",
};

export const capabilities = {
  limits: {
    /** Source: spec, "Content limits by platform". */
    postCharacters: 5_000,
    photoPostCharacters: null,
    /** Source: YouTube Data API, "Videos", `snippet.title`. */
    titleCharacters: 100,
    altTextCharacters: null,
    linkCharacters: null,
    /** Includes commas and quotes. Source: YouTube Data API, "Videos", `snippet.tags[]`. */
    tagsCharacters: 500,
  },
  textBytes: MAX_DESCRIPTION_BYTES,
  textField: "description",
  needsTitle: true,
  /** Per 24 hours. Source: spec, "Daily caps". */
  dailyPostCap: 10,
  bannedHashtags: [],
  mediaSupport: {
    kinds: ["video"],
    maxCount: 1,
    textOnly: false,
    /** YouTube takes any `video/*`; the Worker recognizes only these. */
    videoTypes: ["video/mp4", "video/quicktime", "video/webm"],
    /** 256 GB. Source: YouTube Data API, "Videos: insert". */
    videoMaxBytes: 274_877_906_944,
    thumbnail,
  },
} satisfies Capabilities;

/** Seconds. YouTube may accept the last chunk late, and lists the video later still. */
export const timing: ReconcileTiming = { callSeconds: 60, acceptSeconds: 120, listSeconds: 60 };
