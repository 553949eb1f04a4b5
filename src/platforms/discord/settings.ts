import {
  choices,
  field,
  flag,
  formFields,
  numericId,
  numericIds,
  otherwise,
  type SettingsOf,
} from "../kit/form-fields.ts";
import { MAX_TAGS, MENTION_KINDS } from "./capabilities.ts";

/** Digits of a 64-bit number. */
const MAX_ID = 20;

const yesOrNo = otherwise(flag, false);

export const settings = formFields({
  discord_thread_id: field(numericId("a thread of the account's channel", MAX_ID), {
    label: "Number of the thread",
    type: "string",
    description:
      "Id of a thread of the account's channel, to post into it. Default: none, the channel itself.",
  }),
  discord_tags: field(numericIds("the forum's tags", MAX_ID, MAX_TAGS), {
    label: "Tags of the thread, in a forum",
    type: "array",
    description: `Ids of the forum's tags for the new thread, up to ${MAX_TAGS}, comma-separated or repeated. Default: none.`,
  }),
  discord_suppress_embeds: field(yesOrNo, {
    label: "Without previews of links",
    type: "boolean",
    description: "Shows no previews of links. Default: false.",
  }),
  discord_silent: field(yesOrNo, {
    label: "Without notifications",
    type: "boolean",
    description: "Sends no push and desktop notifications. Default: false.",
  }),
  discord_mentions: field(choices(MENTION_KINDS, "a kind of mentions"), {
    label: "Whom mentions may notify",
    type: "array",
    values: MENTION_KINDS,
    description: `Whom mentions in the text may notify, comma-separated or repeated: ${MENTION_KINDS.join(", ")}. Default: none.`,
  }),
});

export type DiscordSettings = SettingsOf<typeof settings>;

/** Further posts stand in the thread of the first one. */
export const partSettings = (whole: DiscordSettings): DiscordSettings => ({
  ...whole,
  discord_thread_id: null,
  discord_tags: [],
});
