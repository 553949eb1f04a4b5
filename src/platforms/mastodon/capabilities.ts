import type { Capabilities, Needs, OwnPrefix, ReconcileTiming } from "../connector.ts";
import type { ConsentScopes } from "../consent.ts";
import type { ServerLimits } from "../login.ts";
import type { Mentions } from "../mentions.ts";

export const apiVersion = {
  version: "v1",
  header: null,
  sunset: null,
  source: "https://docs.joinmastodon.org/client/public/",
};

/** @see https://docs.joinmastodon.org/api/oauth-scopes/ */
export const scopes = {
  required: ["read:accounts", "read:statuses", "write:media", "write:statuses"],
  optional: [],
  inWords: {
    "read:accounts": "read the account",
    "read:statuses": "read its posts",
    "write:media": "upload files",
    "write:statuses": "publish, edit and delete posts",
  },
} satisfies ConsentScopes;

/** For servers that do not say which scopes they know: some know these two alone, which contain the others. */
export const WIDE_SCOPES = ["read", "write"];

export const asks = "Your account's own server asks you to sign in, and to agree.";

export const needs: Needs = { app: null, scopes: scopes.required };

export const mentions: Mentions = {
  syntax: "@name@server",
  note: "Write the whole handle, as @name@mastodon.social. People of the account's own server are @name alone.",
};

/**
 * Mastodon's own limits, for servers that name none.
 * @see https://docs.joinmastodon.org/entities/Instance/
 */
export const USUAL = {
  postCharacters: 500,
  altTextCharacters: 1_500,
  linkCharacters: 23,
  maxFiles: 4,
  imageMaxBytes: 16 * 1_024 * 1_024,
  videoMaxBytes: 99 * 1_024 * 1_024,
  mimeTypes: [
    "image/jpeg",
    "image/png",
    "image/gif",
    "image/webp",
    "video/mp4",
    "video/quicktime",
    "video/webm",
  ],
  pollOptions: 4,
  pollOptionCharacters: 50,
  pollMinSeconds: 5 * 60,
  pollMaxSeconds: 2_629_746,
} as const satisfies Required<ServerLimits>;

export const LEAST_POLL_OPTIONS = 2;
/** Minutes. A day is what Mastodon's own form offers first. */
export const USUAL_POLL_MINUTES = 1_440;

export const limitsOf = (own: ServerLimits | null | undefined): Required<ServerLimits> => ({
  ...USUAL,
  ...own,
});

/** UTF-8 bytes, of which an address or a character with many marks may have any number. Mastodon is silent. */
export const MAX_TEXT_BYTES = 100_000;

export const capabilities = {
  limits: {
    /** A server may take more: the account has its own limits. */
    postCharacters: USUAL.postCharacters,
    photoPostCharacters: USUAL.postCharacters,
    titleCharacters: null,
    altTextCharacters: USUAL.altTextCharacters,
    linkCharacters: null,
    tagsCharacters: null,
  },
  textBytes: MAX_TEXT_BYTES,
  textField: "description",
  /** Per 24 hours. Servers allow 300 in three hours, of all apps of an account. */
  dailyPostCap: 150,
  bannedHashtags: [],
  mediaSupport: {
    kinds: ["image", "video"],
    maxCount: USUAL.maxFiles,
    textOnly: true,
    imageTypes: ["image/jpeg", "image/png", "image/webp", "image/gif"],
    imageMaxBytes: USUAL.imageMaxBytes,
    videoTypes: ["video/mp4", "video/quicktime", "video/webm"],
    videoMaxBytes: USUAL.videoMaxBytes,
  },
} satisfies Capabilities;

export const ownPrefix: OwnPrefix = { prefix: "mastodon_", refusal: "is not a field of Mastodon" };

/** Seconds. A server lists a post at once. */
export const timing: ReconcileTiming = { callSeconds: 30, acceptSeconds: 30, listSeconds: 10 };
