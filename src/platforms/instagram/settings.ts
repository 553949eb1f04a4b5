import { refusedUrl } from "../../core/url-policy.ts";
import {
  choice,
  type FieldReader,
  field,
  flag,
  formFields,
  otherwise,
  type SettingsOf,
  shown,
  single,
} from "../kit/form-fields.ts";

/** Source: spec, "Uploads: create", `instagram`. */
const MEDIA_TYPES = ["IMAGE", "VIDEO", "REELS", "STORIES"] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];

const TRIAL_REELS = ["manual", "auto"] as const;

/** Letters, digits, dots and underscores, up to 30. Source: Instagram Help Center, "Usernames". */
const USERNAME = /^[a-z0-9._]{1,30}$/i;

/** Refused entries of one list that are told by name. */
const MAX_ISSUES = 10;

/** Different usernames in their order, without a leading @. */
const usernames: FieldReader<string[]> = (raw, refuse) => {
  const texts = typeof raw === "string" ? [raw] : (raw ?? []);
  const names = texts
    .flatMap((text) => text.split(","))
    .map((name) => name.trim().replace(/^@/, ""))
    .filter((name) => name !== "");
  for (const name of names.filter((name) => !USERNAME.test(name)).slice(0, MAX_ISSUES)) {
    refuse(
      `${shown(name)} is not an Instagram username: letters, digits, dots and underscores, up to 30.`,
    );
  }
  const byName = new Map(names.map((name) => [name.toLowerCase(), name]));
  return [...byName.values()];
};

const coverUrl = single((text, refuse): string => {
  const reason = refusedUrl(text);
  // Instagram takes addresses in ASCII alone, which is how a parsed one is written.
  return reason ? refuse(`${reason}.`) : new URL(text).href;
});

/** Longer than any reel, and still exact as a number. */
const MAX_THUMB_OFFSET_MS = 9_999_999;

const thumbOffset = single((text, refuse): number =>
  /^\d+$/.test(text) && Number(text) <= MAX_THUMB_OFFSET_MS
    ? Number(text)
    : refuse("must be a whole number of milliseconds."),
);

const LOCATION_DIGITS = 20;

const locationId = single((text, refuse): string =>
  /^\d+$/.test(text) && text.length <= LOCATION_DIGITS
    ? text
    : refuse("must be the numeric id of a location."),
);

/** The form fields of an Instagram post. One that is empty counts as left out. */
export const settings = formFields({
  media_type: field(choice(MEDIA_TYPES), {
    type: "string",
    values: MEDIA_TYPES,
    description:
      "How the files are published. Default: REELS for a single video; for photos the type follows from the files.",
  }),
  cover_url: field(coverUrl, {
    type: "string",
    description: "https address of a reel's cover, a JPEG; wins over thumb_offset.",
  }),
  thumb_offset: field(thumbOffset, {
    type: "integer",
    minimum: 0,
    maximum: MAX_THUMB_OFFSET_MS,
    description: "The moment of a reel that is its cover, in ms. Default: 0.",
  }),
  location_id: field(locationId, {
    type: "string",
    maxLength: LOCATION_DIGITS,
    description: "Id of the place; not for stories.",
  }),
  collaborators: field(usernames, {
    type: "array",
    description: "Up to 3 usernames, comma-separated; not for stories.",
  }),
  user_tags: field(usernames, {
    type: "array",
    description: "Up to 20 usernames to tag, comma-separated; on a carousel in its first image.",
  }),
  share_to_feed: field(otherwise(flag, true), {
    type: "boolean",
    description: "Shows a reel in the feed as well. Default: true.",
  }),
  trial_reel: field(choice(TRIAL_REELS), {
    type: "string",
    values: TRIAL_REELS,
    description:
      "A single reel shown to non-followers first, shared with all by hand (manual) or if it does well (auto).",
  }),
  audio_name: field(
    single((text) => text),
    { type: "string", description: "Name of a reel's original audio; cannot be changed later." },
  ),
  is_aigc: field(otherwise(flag, false), {
    type: "boolean",
    description:
      "Labels the post as made with AI; a carousel is labelled as a whole. Default: false.",
  }),
});

export type InstagramSettings = SettingsOf<typeof settings>;
