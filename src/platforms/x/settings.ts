import { formatCount } from "../../core/counts.ts";
import {
  anyText,
  choice,
  field,
  flag,
  formFields,
  numericId,
  otherwise,
  pollOptions,
  publicUrl,
  type SettingsOf,
  shown,
  single,
  usernames,
  wholeNumber,
} from "../kit/form-fields.ts";
import {
  capabilities,
  MAX_PREMIUM_TEXT,
  MAX_PREMIUM_VIDEO_SECONDS,
  MAX_SUBTITLES_BYTES,
  MAX_TAGGED_USERS,
  POLL_MINUTES,
  POLL_OPTIONS,
} from "./capabilities.ts";

const { limits } = capabilities;

/** `everyone` is X's default. Source: X, "Create Post", `reply_settings`. */
const REPLY_SETTINGS = [
  "everyone",
  "following",
  "mentionedUsers",
  "subscribers",
  "verified",
] as const;

/** Source: X, "Get Users by usernames", `usernames`. */
const USERNAME = /^[a-z0-9_]{1,15}$/i;

const accounts = usernames(USERNAME, "an X username: letters, digits and underscores, up to 15");

const language = single((text, refuse): string =>
  /^[a-z]{2}$/i.test(text)
    ? text.toUpperCase()
    : refuse(`must be the two letters of a language, such as EN; ${shown(text)} was sent.`),
);

const COMMUNITY_DIGITS = 19;

const optionalFlag = otherwise(flag, false);

export const settings = formFields({
  x_reply_settings: field(otherwise(choice(REPLY_SETTINGS), "everyone"), {
    label: "Who may reply",
    type: "string",
    values: REPLY_SETTINGS,
    description: "Who may reply. Default: everyone.",
  }),
  x_made_with_ai: field(optionalFlag, {
    label: "Made with AI",
    type: "boolean",
    description: "Labels the post as made by AI. Default: false.",
  }),
  x_paid_partnership: field(optionalFlag, {
    label: "Paid partnership",
    type: "boolean",
    description: "Labels the post as a paid partnership. Default: false.",
  }),
  x_super_followers_only: field(optionalFlag, {
    label: "For subscribers only",
    type: "boolean",
    description: "Shows the post to the creator's subscribers only. Default: false.",
  }),
  x_premium: field(optionalFlag, {
    label: "The account has X Premium",
    type: "boolean",
    description: `True when the account subscribes to X Premium: ${formatCount(MAX_PREMIUM_TEXT)} characters, video of ${MAX_PREMIUM_VIDEO_SECONDS / 60} minutes. Default: false.`,
  }),
  x_share_with_followers: field(optionalFlag, {
    label: "To followers too",
    type: "boolean",
    description:
      "Shows a post to a community, or to subscribers, to the followers too; has no effect on other posts. Default: false.",
  }),
  x_alt_text: field(anyText, {
    type: "string",
    maxLength: limits.altTextCharacters,
    description: `Alternative text of the images, up to ${formatCount(limits.altTextCharacters)} characters.`,
  }),
  x_tagged_users: field(accounts, {
    label: "Tagged people",
    type: "array",
    description: `Up to ${MAX_TAGGED_USERS} usernames to tag in the images, comma-separated or as JSON array; unknown ones are left out.`,
  }),
  x_subtitles_url: field(publicUrl(), {
    label: "Address of the subtitles",
    type: "string",
    description: `https address of a video's subtitles, SRT or VTT, up to ${MAX_SUBTITLES_BYTES / 1_000_000} MB.`,
  }),
  x_subtitles_language: field(language, {
    label: "Language of the subtitles",
    type: "string",
    maxLength: 2,
    description: "Language of the subtitles in two letters. Default: EN.",
  }),
  x_poll_options: field(pollOptions, {
    label: "Choices of a poll",
    type: "array",
    description: `${POLL_OPTIONS.least} to ${POLL_OPTIONS.max} choices of up to ${POLL_OPTIONS.characters} characters, comma-separated or as JSON array; posts of text alone.`,
  }),
  x_poll_duration_minutes: field(wholeNumber(POLL_MINUTES.least, POLL_MINUTES.max), {
    label: "Minutes that the poll is open",
    type: "integer",
    minimum: POLL_MINUTES.least,
    maximum: POLL_MINUTES.max,
    description: `How long the poll is open, ${POLL_MINUTES.least} to ${POLL_MINUTES.max}. Default: ${POLL_MINUTES.usual}.`,
  }),
  x_community_id: field(numericId("a community", COMMUNITY_DIGITS), {
    label: "Community",
    type: "string",
    maxLength: COMMUNITY_DIGITS,
    description: "Numeric id of the community to post to; the account has to be a member.",
  }),
});

export type XSettings = SettingsOf<typeof settings>;

export const hasCircle = ({
  x_community_id,
  x_super_followers_only,
}: Pick<XSettings, "x_community_id" | "x_super_followers_only">): boolean =>
  x_community_id !== null || x_super_followers_only;

/** A reply to a post in a community or for subscribers may be missing in the timeline as well. */
export const partSettings = ({
  x_made_with_ai,
  x_paid_partnership,
  x_super_followers_only,
  x_premium,
  x_community_id,
}: XSettings): XSettings => ({
  x_reply_settings: "everyone",
  x_made_with_ai,
  x_paid_partnership,
  x_super_followers_only,
  x_premium,
  x_share_with_followers: false,
  x_alt_text: null,
  x_tagged_users: [],
  x_subtitles_url: null,
  x_subtitles_language: null,
  x_poll_options: [],
  x_poll_duration_minutes: null,
  x_community_id,
});
