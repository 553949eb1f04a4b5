import type { Capabilities, Needs, ReconcileTiming, VerifiedPull } from "../connector.ts";
import type { ConsentScopes } from "../consent.ts";

/** Hashtags whose search TikTok says it blocks. Source: its statements of September 2021 and June 2025. */
const BANNED_HASHTAGS = ["deviouslicks", "skinnytok"];

/** Posts in any 24 hours. Source: spec, "Daily caps". */
const DAILY_POST_CAP = 15;

export const apiVersion = {
  version: "v2",
  header: null,
  sunset: null,
  source: "https://developers.tiktok.com/doc/changelog",
};

/**
 * To know the account and to post; the optional ones add its username, its audience, drafts, and the list
 * of its videos, by which a post whose answer got lost is found again.
 *
 * @see https://developers.tiktok.com/doc/tiktok-api-scopes
 */
export const scopes = {
  required: ["user.info.basic", "video.publish"],
  optional: ["user.info.profile", "user.info.stats", "video.upload", "video.list"],
  inWords: {
    "user.info.basic": "read the name and picture",
    "video.publish": "publish posts",
    "user.info.profile": "read the profile",
    "user.info.stats": "read the figures of the account",
    "video.upload": "upload drafts",
    "video.list": "list the posts",
  },
} satisfies ConsentScopes;

export const asks =
  "TikTok shows the account that you are signed in to there and what this app may do: leave every permission switched on.";

export const needs: Needs = {
  app: "An app at developers.tiktok.com with Login Kit and the Content Posting API; for photos also a domain of your own, or a URL prefix, that is verified there, and PUBLIC_URL.",
  scopes: [...scopes.required, ...scopes.optional],
  review: "Content Posting audit: until it is passed, only the creator sees a post.",
  /** @see https://developers.tiktok.com/doc/login-kit-web */
  redirects: "https",
};

export const capabilities = {
  /** UTF-16 units. */
  limits: {
    /** The caption of a video. Source: TikTok, "Direct Post", `post_info.title`. */
    postCharacters: 2_200,
    /** Source: TikTok, "Photo Post", `post_info.description`. */
    photoPostCharacters: 4_000,
    /** The title of a photo post; longer ones are cut. Source: spec, "Content limits by platform". */
    titleCharacters: 90,
    altTextCharacters: null,
    linkCharacters: null,
    tagsCharacters: null,
  },
  textField: "title",
  /** Source: spec, "Bulk upload": TikTok needs a title where there is no description. */
  batchTitleFromDescription: true,
  dailyPostCap: DAILY_POST_CAP,
  bannedHashtags: BANNED_HASHTAGS,
  mediaSupport: {
    kinds: ["image", "video"],
    /** Source: spec, "Uploads: create", `tiktok` photos. */
    maxCount: 35,
    textOnly: false,
    /** Source: spec, "Uploads: create", `tiktok` photos. */
    imageTypes: ["image/jpeg", "image/webp"],
    /** Source of this and what follows: spec, "Content limits by platform". */
    imageMaxBytes: 20_000_000,
    videoTypes: ["video/mp4", "video/webm", "video/quicktime"],
    videoMaxBytes: 4_000_000_000,
    note: "TikTok fetches photos from this instance: its owner has to verify the domain or URL prefix in TikTok's developer portal, and set it as PUBLIC_URL. Videos do not need this.",
  },
} satisfies Capabilities;

/**
 * Photos are the one kind that cannot be sent: TikTok fetches them.
 *
 * @see https://developers.tiktok.com/doc/content-posting-api-media-transfer-guide
 */
export const verifiedPull: VerifiedPull = {
  isNeeded: ({ media }) => media.some(({ kind }) => kind === "image"),
  refusal:
    "TikTok fetches photos only from a verified address, and this instance has none. Its owner has to verify the domain, or the address as URL prefix, in TikTok's developer portal, and set PUBLIC_URL and TIKTOK_SITE_VERIFICATION. Videos work without it.",
};

/** Seconds. New posts take a while until `video/list` shows them. */
export const timing: ReconcileTiming = { callSeconds: 30, acceptSeconds: 60, listSeconds: 60 };
