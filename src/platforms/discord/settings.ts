import {
  anyText,
  type FieldReader,
  field,
  flag,
  formFields,
  numericId,
  otherwise,
  readList,
  refuseEach,
  type SettingsOf,
  shown,
} from "../kit/form-fields.ts";
import { MAX_TAGS, MAX_THREAD_NAME, MAX_USERNAME, MENTION_KINDS } from "./capabilities.ts";

/** Digits of a 64-bit number. */
const MAX_ID = 20;

type MentionKind = (typeof MENTION_KINDS)[number];

const isMentionKind = (word: string): word is MentionKind =>
  MENTION_KINDS.some((kind) => kind === word);

const mentioned: FieldReader<MentionKind[]> = (raw, refuse) => {
  const words = readList(raw).map((word) => word.toLowerCase());
  const isNone = words.length === 1 && words[0] === "none";
  const unknown = isNone ? [] : words.filter((word) => !isMentionKind(word));
  const allowed = `none, ${MENTION_KINDS.join(", ")}`;
  refuseEach(unknown, (word) => `must be of ${allowed}; ${shown(word)} was sent.`, refuse);
  return words.filter(isMentionKind);
};

const tags: FieldReader<string[]> = (raw, refuse) => {
  const ids = readList(raw);
  const wrong = ids.filter((id) => !/^\d{1,20}$/.test(id));
  refuseEach(wrong, (id) => `must have numeric ids of tags; ${shown(id)} was sent.`, refuse);
  if (ids.length > MAX_TAGS) {
    refuse(`Discord takes up to ${MAX_TAGS} tags; ${ids.length} were sent.`);
  }
  return ids;
};

const yesOrNo = otherwise(flag, false);

export const settings = formFields({
  discord_thread_id: field(numericId("a thread of the account's channel", MAX_ID), {
    type: "string",
    description:
      "Id of a thread of the account's channel, to post into it. Default: none, the channel itself.",
  }),
  discord_thread_name: field(anyText, {
    type: "string",
    maxLength: MAX_THREAD_NAME,
    description: `Name of the new thread in a forum or media channel, up to ${MAX_THREAD_NAME} characters. Default: the title, or the beginning of the text.`,
  }),
  discord_tags: field(tags, {
    type: "array",
    description: `Ids of the forum's tags for the new thread, up to ${MAX_TAGS}, comma-separated or repeated. Default: none.`,
  }),
  discord_suppress_embeds: field(yesOrNo, {
    type: "boolean",
    description: "Shows no previews of links. Default: false.",
  }),
  discord_silent: field(yesOrNo, {
    type: "boolean",
    description: "Sends no push and desktop notifications. Default: false.",
  }),
  discord_spoiler: field(yesOrNo, {
    type: "boolean",
    description: "Hides the files until people click on them. Default: false.",
  }),
  discord_mentions: field(mentioned, {
    type: "array",
    values: MENTION_KINDS,
    description: `Whom mentions in the text may notify, comma-separated or repeated: ${MENTION_KINDS.join(", ")}. Default: none.`,
  }),
  discord_username: field(anyText, {
    type: "string",
    maxLength: MAX_USERNAME,
    description: `Name of the author, up to ${MAX_USERNAME} characters; only for accounts by webhook. Default: the webhook's own.`,
  }),
});

export type DiscordSettings = SettingsOf<typeof settings>;

/** Further posts stand in the thread of the first one. */
export const partSettings = (whole: DiscordSettings): DiscordSettings => ({
  ...whole,
  discord_thread_id: null,
  discord_thread_name: null,
  discord_tags: [],
  discord_spoiler: false,
});
