import {
  anyText,
  choice,
  field,
  flag,
  formFields,
  numericId,
  otherwise,
  publicUrl,
  type SettingsOf,
  usernames,
  wholeNumber,
} from "../kit/form-fields.ts";
import { MAX_COLLABORATORS, MAX_USER_TAGS } from "./capabilities.ts";

/** Source: spec, "Uploads: create", `instagram`. */
const MEDIA_TYPES = ["IMAGE", "VIDEO", "REELS", "STORIES"] as const;
const TRIAL_REELS = ["manual", "auto"] as const;

/** Source: Instagram Help Center, "Usernames". */
const USERNAME = /^[a-z0-9._]{1,30}$/i;

const accounts = usernames(
  USERNAME,
  "an Instagram username: letters, digits, dots and underscores, up to 30",
);

/** Longer than any reel. */
const MAX_THUMB_OFFSET_MS = 9_999_999;

const LOCATION_DIGITS = 20;

export const settings = formFields({
  media_type: field(choice(MEDIA_TYPES), {
    label: "Kind of post",
    type: "string",
    values: MEDIA_TYPES,
    description:
      "How the files are published. Default: REELS for a single video; for photos the type follows from the files.",
  }),
  cover_url: field(publicUrl(), {
    label: "Address of the cover",
    type: "string",
    description: "https address of a reel's cover, a JPEG; wins over thumb_offset.",
  }),
  thumb_offset: field(wholeNumber(0, MAX_THUMB_OFFSET_MS, "of milliseconds"), {
    label: "Cover of the reel, in milliseconds",
    type: "integer",
    minimum: 0,
    maximum: MAX_THUMB_OFFSET_MS,
    description: "The moment of a reel that is its cover, in ms. Default: 0.",
  }),
  location_id: field(numericId("a location", LOCATION_DIGITS), {
    label: "Place",
    type: "string",
    maxLength: LOCATION_DIGITS,
    description: "Id of the place; not for stories.",
  }),
  collaborators: field(accounts, {
    type: "array",
    description: `Up to ${MAX_COLLABORATORS} usernames, comma-separated; not for stories.`,
  }),
  user_tags: field(accounts, {
    label: "Tagged people",
    type: "array",
    description: `Up to ${MAX_USER_TAGS} usernames to tag, comma-separated; on a carousel in its first image.`,
  }),
  share_to_feed: field(otherwise(flag, true), {
    label: "In the feed as well",
    type: "boolean",
    description: "Shows a reel in the feed as well. Default: true.",
  }),
  trial_reel: field(choice(TRIAL_REELS), {
    label: "Trial reel",
    type: "string",
    values: TRIAL_REELS,
    description:
      "A single reel shown to non-followers first, shared with all by hand (manual) or if it does well (auto).",
  }),
  audio_name: field(anyText, {
    label: "Name of the audio",
    type: "string",
    description: "Name of a reel's original audio; cannot be changed later.",
  }),
  is_aigc: field(otherwise(flag, false), {
    label: "Made with AI",
    type: "boolean",
    description:
      "Labels the post as made with AI; a carousel is labelled as a whole. Default: false.",
  }),
});

export type InstagramSettings = SettingsOf<typeof settings>;
