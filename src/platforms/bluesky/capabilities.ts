import type { Capabilities, Needs, ReconcileTiming } from "../connector.ts";
import type { ConsentScopes } from "../consent.ts";
import type { Mentions } from "../mentions.ts";

/** Source: spec, "Uploads: create", `bluesky`. */
export const MAX_TEXT_BYTES = 3_000;
/** Graphemes. Source: spec, "Uploads: create", `bluesky`. */
const MAX_TEXT = 300;

export const apiVersion = {
  version: "xrpc",
  header: null,
  sunset: null,
  source: "https://docs.bsky.app",
};

/**
 * `transition:generic` grants what an app password grants.
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
  key: {
    variable: "BLUESKY_KEY",
    without: "Without it, logins by Bluesky's own page end after two weeks.",
  },
};

export const mentions: Mentions = {
  syntax: "@name.bsky.social",
  note: "Write the whole handle, as @name.bsky.social. One that Bluesky does not know stays text, with a warning.",
};

export const capabilities = {
  limits: {
    postCharacters: MAX_TEXT,
    photoPostCharacters: MAX_TEXT,
    titleCharacters: null,
    /** Graphemes. Source: spec, "Content limits by platform". */
    altTextCharacters: 1_000,
    linkCharacters: null,
    tagsCharacters: null,
  },
  countedBy: "graphemes",
  textBytes: MAX_TEXT_BYTES,
  textField: "description",
  /** Per 24 hours. Spec is silent: it names a cap of 150 without its platform; Bluesky allows far more. */
  dailyPostCap: 150,
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
    /** Bluesky converts other types to MP4. Source: Bluesky's own client. */
    videoTypes: ["video/mp4", "video/quicktime", "video/webm"],
    /** Bluesky itself takes 300 MB. Source: spec, "Content limits by platform". */
    videoMaxBytes: 100_000_000,
  },
} satisfies Capabilities;

/** Seconds. Reading a record by its key has hardly any delay. */
export const timing: ReconcileTiming = { callSeconds: 20, acceptSeconds: 30, listSeconds: 5 };
