import type { Capabilities, Needs, ReconcileTiming, UntilAudit } from "../connector.ts";
import type { ConsentScopes } from "../consent.ts";
import type { Mentions } from "../mentions.ts";

/** UTF-16 units; Pinterest takes 800. Source: spec, "Content limits by platform". */
const MAX_DESCRIPTION = 500;

export const apiVersion = {
  version: "v5",
  header: null,
  sunset: null,
  source: "https://developers.pinterest.com/docs/changelog/changelog/",
};

/**
 * Optional scopes are for secret boards.
 * @see https://developers.pinterest.com/docs/api/v5/pins-create
 */
export const scopes = {
  required: ["boards:read", "boards:write", "pins:read", "pins:write", "user_accounts:read"],
  optional: ["boards:read_secret", "boards:write_secret", "pins:read_secret", "pins:write_secret"],
  inWords: {
    "boards:read": "list the boards",
    "boards:write": "create boards",
    "pins:read": "read pins",
    "pins:write": "create pins",
    "user_accounts:read": "read the profile",
    "boards:read_secret": "list the secret boards",
    "boards:write_secret": "create secret boards",
    "pins:read_secret": "read secret pins",
    "pins:write_secret": "create secret pins",
  },
} satisfies ConsentScopes;

export const asks =
  "Pinterest shows what this app may do, and you agree with the account that you are signed in to there; switch accounts on Pinterest first if it is another.";

export const needs: Needs = {
  app: "An app at developers.pinterest.com.",
  scopes: [...scopes.required, ...scopes.optional],
};

export const mentions: Mentions = {
  syntax: null,
  note: "Pinterest links no mentions. Write the name.",
};

export const capabilities = {
  /** Source of all: spec, "Content limits by platform". */
  limits: {
    postCharacters: MAX_DESCRIPTION,
    photoPostCharacters: MAX_DESCRIPTION,
    titleCharacters: 100,
    altTextCharacters: 500,
    linkCharacters: 2_048,
    tagsCharacters: null,
  },
  /** @see https://help.pinterest.com/business/article/pinterest-product-specs */
  frames: [{ kind: "image", minRatio: 1 / 2.1, narrower: "cuts this to 1:2.1 in feeds" }],
  textField: "description",
  /** Per 24 hours. Source: spec, "Daily caps". */
  dailyPostCap: 20,
  bannedHashtags: [],
  mediaSupport: {
    kinds: ["image", "video"],
    /**
     * Source of the count and image types: spec, "Uploads: create", `pinterest`; of sizes: "Content limits by
     * platform".
     */
    maxCount: 5,
    textOnly: false,
    imageTypes: ["image/jpeg", "image/png"],
    imageMaxBytes: 20_000_000,
    /** Includes M4V. Source: spec, "Presigned upload", `pinterest_videos`. */
    videoTypes: ["video/mp4", "video/quicktime"],
    videoMaxBytes: 2_000_000_000,
  },
} satisfies Capabilities;

/** @see https://developers.pinterest.com/docs/key-concepts/access-tiers/ */
const TRIAL =
  "Pinterest refuses every pin of an app with Trial access (error 29). Once this instance's app has Standard access, the instance's owner adds pinterest to AUDITED_PLATFORMS.";

export const untilAudit: UntilAudit = { post: TRIAL, account: TRIAL };

/** Seconds. One call may carry five images of 20 MB. */
export const timing: ReconcileTiming = { callSeconds: 75, acceptSeconds: 60, listSeconds: 60 };
