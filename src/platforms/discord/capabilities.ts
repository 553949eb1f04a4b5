import type { Capabilities, Needs, ReconcileTiming } from "../connector.ts";
import type { Mentions } from "../mentions.ts";

const MIB = 1_024 ** 2;

/** Code points. Source: Discord, "Message Resource", and staff in discord-api-docs 1315. */
const MAX_TEXT = 2_000;
/** Of each file, in servers without boosts. Source: Discord, "Reference", uploading files. */
const MAX_FILE_BYTES = 10 * MIB;
/** Of a whole request, less its texts. Source: Discord, "Message Resource", Create Message. */
export const MAX_FILES_BYTES = 25 * MIB - 100_000;
/** Of one post. Discord's documents give no number; its own apps take five. */
export const MAX_TAGS = 5;
/** Who may be notified. Source: Discord, "Message Resource", allowed mention types. */
export const MENTION_KINDS: readonly string[] = ["users", "roles", "everyone"];

export const apiVersion = {
  version: "v10",
  header: null,
  sunset: null,
  source: "https://docs.discord.com/developers/reference",
};

export const needs: Needs = { app: null, scopes: [] };

export const mentions: Mentions = {
  syntax: "<@id>",
  note: "Write <@id> for a member, <@&id> for a role, <#id> for a channel, or @everyone. Discord notifies nobody unless discord_mentions allows it.",
};

const OFFICE = "application/vnd.openxmlformats-officedocument";

export const capabilities = {
  limits: {
    postCharacters: MAX_TEXT,
    photoPostCharacters: MAX_TEXT,
    titleCharacters: null,
    /** Code points. Source: Discord, "Message Resource", attachments. */
    altTextCharacters: 1_024,
    linkCharacters: null,
    tagsCharacters: null,
  },
  countedBy: "code points",
  textField: "description",
  /** Spec is silent: Discord has no cap by day. */
  dailyPostCap: 150,
  bannedHashtags: [],
  mediaSupport: {
    kinds: ["image", "video", "document"],
    /** Source: Discord, "Opcodes and Status Codes", 30015. */
    maxCount: 10,
    textOnly: true,
    imageTypes: ["image/jpeg", "image/png", "image/webp", "image/gif"],
    imageMaxBytes: MAX_FILE_BYTES,
    videoTypes: ["video/mp4", "video/quicktime", "video/webm"],
    videoMaxBytes: MAX_FILE_BYTES,
    documentTypes: [
      "application/pdf",
      "application/msword",
      `${OFFICE}.wordprocessingml.document`,
      "application/vnd.ms-powerpoint",
      `${OFFICE}.presentationml.presentation`,
    ],
    documentMaxBytes: MAX_FILE_BYTES,
  },
} satisfies Capabilities;

/** Seconds. A call may carry 25 MiB. */
export const timing: ReconcileTiming = { callSeconds: 60, acceptSeconds: 20, listSeconds: 10 };

export const isBot = (accountId: string): boolean => !accountId.startsWith("webhooks/");
