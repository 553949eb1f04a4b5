import {
  anyText,
  choice,
  type FieldReader,
  field,
  flag,
  formFields,
  otherwise,
  pollOptions,
  readJsonList,
  type SettingsOf,
  shown,
  single,
  wholeNumber,
} from "../kit/form-fields.ts";
import { LEAST_POLL_OPTIONS, USUAL, USUAL_POLL_MINUTES } from "./capabilities.ts";

/** `unlisted`: quiet public. Source: Mastodon, "Status", `visibility`. */
const VISIBILITIES = ["public", "unlisted", "private", "direct"] as const;

/** Source: ISO 639-1 and 639-3, optionally with a region or script. */
const LANGUAGE = /^[a-z]{2,3}(-[a-z]{2,4})?$/i;

const language = single((text, refuse): string =>
  LANGUAGE.test(text)
    ? text
    : refuse(`must be a language such as en or pt-BR; ${shown(text)} was sent.`),
);

export interface Focus {
  x: number;
  y: number;
}

const FOCUS = /^(-?\d(?:\.\d+)?),\s*(-?\d(?:\.\d+)?)$/;

/** Repeated, or a JSON array: an entry has a comma itself. */
const focusPoints: FieldReader<(Focus | null)[]> = (raw, refuse) => {
  const texts = typeof raw === "string" ? [raw] : (raw ?? []);
  const entries = texts.flatMap((text) => readJsonList(text) ?? [text]).map((text) => text.trim());
  if (entries.every((text) => text === "")) return [];
  return entries.map((text) => {
    if (text === "") return null;
    const [, x, y] = (FOCUS.exec(text) ?? []).map(Number);
    const isInside = x !== undefined && y !== undefined && Math.abs(x) <= 1 && Math.abs(y) <= 1;
    return isInside
      ? { x, y }
      : refuse(`must be x,y from -1.0 to 1.0, such as 0.0,0.5; ${shown(text)} was sent.`);
  });
};

export const settings = formFields({
  mastodon_visibility: field(choice(VISIBILITIES), {
    label: "Who can see the post",
    type: "string",
    values: VISIBILITIES,
    description:
      "Who sees the post: unlisted is public but in no list of new posts, private is for followers, direct for people who are mentioned. Default: what the account has chosen on its server.",
  }),
  mastodon_content_warning: field(anyText, {
    label: "Content warning",
    type: "string",
    description:
      "Stands in front of the text, which is shown after a click. Counts towards the length of the text.",
  }),
  mastodon_sensitive: field(flag, {
    label: "Hide images and video behind a click",
    type: "boolean",
    description:
      "Hides images and video until they are clicked. Default: what the account has chosen on its server.",
  }),
  mastodon_language: field(language, {
    label: "Language of the text",
    type: "string",
    maxLength: 8,
    description: "Language of the text, such as en. Default: the account's own.",
  }),
  mastodon_focus: field(focusPoints, {
    label: "Points of the files that stay visible",
    type: "array",
    description:
      "The point of each file that stays visible when it is cropped: x,y from -1.0 to 1.0, 0,0 the middle; repeated or as JSON array, in the order of the files, empty for the middle.",
  }),
  mastodon_poll_options: field(pollOptions, {
    label: "Choices of a poll",
    type: "array",
    description: `${LEAST_POLL_OPTIONS} or more choices of a poll, comma-separated or as JSON array; up to ${USUAL.pollOptions} of ${USUAL.pollOptionCharacters} characters, unless the server takes more; posts of text alone.`,
  }),
  mastodon_poll_duration_minutes: field(wholeNumber(1, 525_600), {
    label: "Minutes that the poll is open",
    type: "integer",
    minimum: 1,
    maximum: 525_600,
    description: `How long the poll is open, usually 5 minutes to a month. Default: ${USUAL_POLL_MINUTES}.`,
  }),
  mastodon_poll_multiple: field(otherwise(flag, false), {
    label: "Several choices may be taken",
    type: "boolean",
    description: "Several choices may be taken. Default: false.",
  }),
  mastodon_poll_hide_totals: field(otherwise(flag, false), {
    label: "Hide the votes until the poll ends",
    type: "boolean",
    description: "Hides the votes until the poll ends. Default: false.",
  }),
});

export type MastodonSettings = SettingsOf<typeof settings>;

export const partSettings = ({
  mastodon_visibility,
  mastodon_content_warning,
  mastodon_sensitive,
  mastodon_language,
}: MastodonSettings): MastodonSettings => ({
  mastodon_visibility,
  mastodon_content_warning,
  mastodon_sensitive,
  mastodon_language,
  mastodon_focus: [],
  mastodon_poll_options: [],
  mastodon_poll_duration_minutes: null,
  mastodon_poll_multiple: false,
  mastodon_poll_hide_totals: false,
});
