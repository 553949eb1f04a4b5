import { DAY, SECOND } from "../../core/time.ts";
import type { Capabilities, Needs, ReconcileTiming } from "../connector.ts";
import type { ConsentScopes } from "../consent.ts";

/** UTF-8 bytes of a post's text. Source: spec, "Uploads: create", `bluesky`. */
export const MAX_TEXT_BYTES = 3_000;
/** Graphemes of a post's text. Source: spec, "Uploads: create", `bluesky`. */
const MAX_TEXT = 300;

/**
 * Posts in any 24 hours. Spec is silent: it names a cap of 150 without its platform; Bluesky's own
 * limits on writes allow far more.
 */
const DAILY_POST_CAP = 150;

export const apiVersion = {
  version: "xrpc",
  header: null,
  sunset: null,
  source: "https://docs.bsky.app",
};

/**
 * `transition:generic`: what an app password opens.
 *
 * @see https://atproto.com/specs/permission#transitional-scopes
 */
export const scopes = {
  required: ["atproto", "transition:generic"],
  optional: [],
  inWords: {
    atproto: "sign in",
    "transition:generic": "publish posts and upload files",
  },
} satisfies ConsentScopes;

export const asks = "Your account's own server asks you to sign in, and to agree.";

export const needs: Needs = {
  app: null,
  scopes: scopes.required,
  review: null,
  key: {
    variable: "BLUESKY_KEY",
    without: "Without it, logins by Bluesky's own page end after two weeks.",
  },
};

export const capabilities = {
  limits: {
    postCharacters: MAX_TEXT,
    photoPostCharacters: MAX_TEXT,
    titleCharacters: null,
    /** Graphemes of one alt text. Source: spec, "Content limits by platform". */
    altTextCharacters: 1_000,
    linkCharacters: null,
    tagsCharacters: null,
  },
  textField: "description",
  dailyPostCap: DAILY_POST_CAP,
  bannedHashtags: [],
  mediaSupport: {
    kinds: ["image", "video"],
    /** Source: lexicon app.bsky.embed.images. */
    maxCount: 4,
    textOnly: true,
    /** Source: spec, "Presigned upload", route `bluesky_photos`. */
    imageTypes: ["image/jpeg", "image/png", "image/webp", "image/gif"],
    /** Source: lexicon app.bsky.embed.images. */
    imageMaxBytes: 2_000_000,
    /** The network converts what is not MP4. Source: Bluesky's own client, its upload of videos. */
    videoTypes: ["video/mp4", "video/quicktime", "video/webm"],
    /** The network itself takes 300 MB. Source: spec, "Content limits by platform". */
    videoMaxBytes: 100_000_000,
  },
} satisfies Capabilities;

/** Seconds. A record is read by its key from the server that wrote it, so there is hardly any listing lag. */
export const timing: ReconcileTiming = { callSeconds: 20, acceptSeconds: 30, listSeconds: 5 };

/**
 * Before the end of a session that nobody uses, in seconds: what renews it lives 90 days.
 *
 * @see https://github.com/bluesky-social/atproto/blob/main/packages/pds/src/account-manager/helpers/auth.ts
 */
export const REFRESH_AHEAD_SECONDS = (30 * DAY) / SECOND;
