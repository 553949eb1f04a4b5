import { formatCount } from "../../core/counts.ts";
import { parseInstant } from "../../core/time.ts";
import {
  anyText,
  choice,
  type FieldReader,
  field,
  flag,
  formFields,
  languageTag,
  otherwise,
  readList,
  type SettingsOf,
  shown,
  single,
} from "../kit/form-fields.ts";
import { capabilities, MAX_DESCRIPTION_BYTES, MAX_SCHEDULE_DAYS } from "./capabilities.ts";

const { limits } = capabilities;

const PRIVACY_STATUSES = ["public", "private", "unlisted"] as const;
const LICENSES = ["youtube", "creativeCommon"] as const;
const DEFAULT_CATEGORY = "22";

const OFFSET_NEEDED = "must be ISO 8601 with an offset, such as 2026-12-01T09:00:00Z";
const DAY_ALONE = /^\d{4}-\d{2}-\d{2}$/;

const instant = single(
  (text, refuse): string =>
    parseInstant(text)?.toISOString() ?? refuse(`${OFFSET_NEEDED}; ${shown(text)} was sent.`),
);

const dayOrInstant = single(
  (text, refuse): string =>
    parseInstant(DAY_ALONE.test(text) ? `${text}T00:00:00Z` : text)?.toISOString() ??
    refuse(`${OFFSET_NEEDED}, or a day such as 2026-12-01; ${shown(text)} was sent.`),
);

const category = single((text, refuse): string =>
  /^\d{1,4}$/.test(text)
    ? text
    : refuse(`must be the number of a category, such as 22; ${shown(text)} was sent.`),
);

const countries: FieldReader<string[]> = (raw, refuse) => {
  const codes = readList(raw);
  const wrong = codes.find((code) => !/^[A-Z]{2}$/.test(code));
  if (wrong === undefined) return codes;
  return refuse(
    `must be uppercase ISO 3166-1 alpha-2 codes, such as DE,AT,CH; ${shown(wrong)} was sent.`,
  );
};

export const settings = formFields({
  youtube_title: field(anyText, {
    label: "Title on YouTube alone",
    type: "string",
    maxLength: limits.titleCharacters,
    description: `The title here, in place of title. Up to ${limits.titleCharacters} characters, without < and >.`,
  }),
  youtube_description: field(anyText, {
    label: "Description on YouTube alone",
    type: "string",
    maxLength: limits.postCharacters,
    description: `The description here, in place of description. Up to ${formatCount(limits.postCharacters)} characters and ${formatCount(MAX_DESCRIPTION_BYTES)} bytes, without < and >.`,
  }),
  tags: field(readList, {
    type: "array",
    description: `Keywords, separated by commas. Tags beyond ${limits.tagsCharacters} characters are left out; commas count, and so do two quotes for a tag that has a space.`,
  }),
  categoryId: field(otherwise(category, DEFAULT_CATEGORY), {
    label: "Category",
    type: "string",
    description: `The number of a category. Default: ${DEFAULT_CATEGORY}, People & Blogs.`,
  }),
  privacyStatus: field(otherwise(choice(PRIVACY_STATUSES), "public"), {
    label: "Who can see the video",
    type: "string",
    values: PRIVACY_STATUSES,
    description: "Who sees the video. Default: public; private until scheduledDate.",
  }),
  scheduledDate: field(instant, {
    label: "When YouTube makes it public",
    type: "string",
    description: `When the platform makes the uploaded video public: ISO 8601 with an offset, in the future and within ${MAX_SCHEDULE_DAYS} days. Private until then.`,
  }),
  embeddable: field(otherwise(flag, true), {
    label: "Other sites may embed it",
    type: "boolean",
    description: "Lets other sites embed the video. Default: true.",
  }),
  license: field(otherwise(choice(LICENSES), "youtube"), {
    type: "string",
    values: LICENSES,
    description: "Default: youtube, the standard license.",
  }),
  publicStatsViewable: field(otherwise(flag, true), {
    label: "Everybody sees the statistics",
    type: "boolean",
    description: "Shows the extended statistics of the video to everybody. Default: true.",
  }),
  selfDeclaredMadeForKids: field(flag, {
    label: "Is the video made for kids?",
    type: "boolean",
    description: "Says whether the video is made for kids. Default: what the channel has set.",
  }),
  madeForKids: field(otherwise(flag, false), {
    type: "boolean",
    description:
      "Has no effect: the platform sets it by itself. Use selfDeclaredMadeForKids. Default: false.",
  }),
  containsSyntheticMedia: field(otherwise(flag, false), {
    label: "Altered or made by AI",
    type: "boolean",
    description:
      "Says that the video has realistic content that was altered or made by AI. Default: false.",
  }),
  hasPaidProductPlacement: field(otherwise(flag, false), {
    label: "Paid product placement",
    type: "boolean",
    description: "Says that the video has paid product placement. Default: false.",
  }),
  defaultLanguage: field(languageTag, {
    label: "Language of the texts",
    type: "string",
    description: "The language of title and description, as a BCP-47 tag.",
  }),
  defaultAudioLanguage: field(languageTag, {
    label: "Language of the video",
    type: "string",
    description: "The language spoken in the video, as a BCP-47 tag.",
  }),
  allowedCountries: field(countries, {
    type: "array",
    description:
      "The only countries that may watch, as uppercase ISO 3166-1 alpha-2 codes, separated by commas; not with blockedCountries. Most channels may not restrict countries; their videos are published without this limit.",
  }),
  blockedCountries: field(countries, {
    type: "array",
    description:
      "Countries that may not watch, as uppercase ISO 3166-1 alpha-2 codes, separated by commas; not with allowedCountries. Most channels may not restrict countries; their videos are published without this limit.",
  }),
  recordingDate: field(dayOrInstant, {
    type: "string",
    description: "When the video was recorded: ISO 8601 with an offset, or a day.",
  }),
  notifySubscribers: field(otherwise(flag, true), {
    label: "Tell subscribers",
    type: "boolean",
    description: "Tells the channel's subscribers. Default: true.",
  }),
});

export type YouTubeSettings = SettingsOf<typeof settings>;
