import type { Capabilities, Needs, ReconcileTiming } from "../connector.ts";
import type { Mentions } from "../mentions.ts";

/** Characters after markup, as code points. Source: Bot API, sendMessage; TDLib, MessageContent.cpp. */
const MAX_TEXT = 4_096;
/** Source: Bot API, sendPhoto, `caption`. */
const MAX_CAPTION = 1_024;
/** Formatted passages; Telegram ignores more. Source: python-telegram-bot, constants.py. */
export const MAX_ENTITIES = 100;
export const GIF = "image/gif";
/** Source: Bot API, sendPhoto. */
export const MAX_SIDES = 10_000;
export const MAX_RATIO = 20;
/** Source: Bot API, "Sending files". */
export const MAX_FILE_BYTES = 50_000_000;
/** Files of an album go out in one call, which has to end within `timing.callSeconds`. */
export const MAX_ALBUM_BYTES = 100_000_000;

export const apiVersion = {
  version: "10.1",
  header: null,
  sunset: null,
  source: "https://core.telegram.org/bots/api-changelog",
};

export const needs: Needs = { app: null, scopes: [] };

export const mentions: Mentions = {
  syntax: "@username",
  note: "Telegram links usernames itself. Write @username.",
};

export const capabilities = {
  limits: {
    postCharacters: MAX_TEXT,
    photoPostCharacters: MAX_CAPTION,
    titleCharacters: null,
    altTextCharacters: null,
    linkCharacters: null,
    tagsCharacters: null,
  },
  countedBy: "code points",
  hasCaptions: true,
  textField: "description",
  /** Per 24 hours. Spec is silent; Telegram names no number for a day. */
  dailyPostCap: 150,
  bannedHashtags: [],
  mediaSupport: {
    kinds: ["image", "video", "document"],
    /** Source: Bot API, sendMediaGroup. */
    maxCount: 10,
    textOnly: true,
    /** Source: Bot API server: other extensions are refused for photos. */
    imageTypes: ["image/jpeg", "image/png", GIF],
    imageMaxBytes: 10_000_000,
    /** Source: Bot API, sendVideo. */
    videoTypes: ["video/mp4"],
    videoMaxBytes: MAX_FILE_BYTES,
    documentTypes: [
      "application/pdf",
      "application/msword",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      "application/vnd.ms-powerpoint",
      "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ],
    documentMaxBytes: MAX_FILE_BYTES,
  },
} satisfies Capabilities;

/** Seconds. The call that makes a post carries its files. Nothing can be looked up afterwards. */
export const timing: ReconcileTiming = { callSeconds: 60, acceptSeconds: 1, listSeconds: 1 };
