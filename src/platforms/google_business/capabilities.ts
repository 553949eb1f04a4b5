import type { Capabilities, Needs, ReconcileTiming, UntilAudit } from "../connector.ts";
import type { ConsentScopes } from "../consent.ts";
import type { Mentions } from "../mentions.ts";

/** UTF-16 units. Google does not say what it counts; calls with 1,501 characters were refused. */
const MAX_SUMMARY = 1_500;

/** Source: Google, MediaItem. */
export const MIN_IMAGE_EDGE = 250;
export const MIN_IMAGE_BYTES = 10_240;
/** Source: Google Business Profile Help, answer 6103862. */
export const READABLE_IMAGES = ["image/jpeg", "image/png"];

export const apiVersion = {
  version: "v4",
  header: null,
  sunset: null,
  source: "https://developers.google.com/my-business/content/sunset-dates",
};

const MANAGE = "https://www.googleapis.com/auth/business.manage";

/** @see https://developers.google.com/my-business/content/basic-setup */
export const scopes = {
  required: [MANAGE],
  optional: [],
  inWords: { [MANAGE]: "list the locations, and publish, edit and delete their posts" },
} satisfies ConsentScopes;

export const asks =
  "Sign in with a Google account that is owner or manager of the Business Profile, and leave the box ticked. The locations are chosen afterwards.";

/** @see https://developers.google.com/my-business/content/prereqs */
export const untilAudit: UntilAudit = {
  account:
    "Until Google has approved this instance's project for the Business Profile APIs, its quota is 0 and no location can be connected. While the app is in testing, only its test users can connect, and each login ends after seven days. Until Google has verified the app, it warns of an unverified app, and at most 100 people can connect.",
};

export const needs: Needs = {
  app: "A Google Cloud project that Google has approved for the Business Profile APIs, with an OAuth client of type web application.",
  scopes: scopes.required,
  /** @see https://developers.google.com/identity/protocols/oauth2/web-server#uri-validation */
  redirects: "https, or http://localhost",
};

export const mentions: Mentions = {
  syntax: null,
  note: "Google links no mentions. Write the name.",
};

export const capabilities = {
  limits: {
    postCharacters: MAX_SUMMARY,
    photoPostCharacters: MAX_SUMMARY,
    /** Of an event or an offer, as calls with 59 characters showed. */
    titleCharacters: 58,
    altTextCharacters: null,
    linkCharacters: null,
    tagsCharacters: null,
  },
  textField: "description",
  /** Per 24 hours. Spec is silent, and Google names no number, but rejects what it takes for spam. */
  dailyPostCap: 25,
  bannedHashtags: [],
  mediaSupport: {
    kinds: ["image"],
    /** Google documents no number; nobody sends more. */
    maxCount: 1,
    textOnly: true,
    imageTypes: [...READABLE_IMAGES, "image/webp", "image/gif"],
    /** Source: Google Business Profile Help, answer 6103862. */
    imageMaxBytes: 5_000_000,
  },
} satisfies Capabilities;

/** Seconds. Google downloads the photo during the call, and does not say how soon it lists a post. */
export const timing: ReconcileTiming = { callSeconds: 60, acceptSeconds: 60, listSeconds: 60 };
