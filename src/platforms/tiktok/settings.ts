import {
  choice,
  field,
  flag,
  formFields,
  otherwise,
  type SettingsOf,
  wholeNumber,
} from "../kit/form-fields.ts";

const PRIVACY_LEVELS = [
  "PUBLIC_TO_EVERYONE",
  "MUTUAL_FOLLOW_FRIENDS",
  "FOLLOWER_OF_CREATOR",
  "SELF_ONLY",
] as const;

/** `DRAFT` and `MEDIA_UPLOAD` mean the same. */
const POST_MODES = ["DIRECT_POST", "DRAFT", "MEDIA_UPLOAD"] as const;

const MAX_INT32 = 2_147_483_647;

export const settings = formFields({
  privacy_level: field(otherwise(choice(PRIVACY_LEVELS), "PUBLIC_TO_EVERYONE"), {
    label: "Who can see this post",
    type: "string",
    values: PRIVACY_LEVELS,
    mustBeChosen: true,
    description:
      "Who sees the post. Default: PUBLIC_TO_EVERYONE; SELF_ONLY when the account cannot use the requested level.",
  }),
  disable_comment: field(otherwise(flag, false), {
    type: "boolean",
    description: "Turns comments off. Default: false.",
  }),
  disable_duet: field(otherwise(flag, false), {
    type: "boolean",
    description: "Turns duets off; videos only. Default: false.",
  }),
  disable_stitch: field(otherwise(flag, false), {
    type: "boolean",
    description: "Turns stitches off; videos only. Default: false.",
  }),
  brand_content_toggle: field(otherwise(flag, false), {
    type: "boolean",
    description:
      "Labels the post as a paid partnership for somebody else's brand; not with SELF_ONLY. Default: false.",
  }),
  brand_organic_toggle: field(otherwise(flag, false), {
    type: "boolean",
    description: "Labels the post as promotion of the creator's own business. Default: false.",
  }),
  is_aigc: field(otherwise(flag, false), {
    label: "Made with AI",
    type: "boolean",
    description: "Labels the post as made by AI. Default: false.",
  }),
  auto_add_music: field(otherwise(flag, false), {
    label: "Let TikTok add music",
    type: "boolean",
    description: "Lets TikTok add music; photos only. Default: false.",
  }),
  video_cover_timestamp_ms: field(wholeNumber(0, MAX_INT32), {
    label: "Cover of the video, in milliseconds",
    type: "integer",
    minimum: 0,
    maximum: MAX_INT32,
    description:
      "The cover of a video is the frame at this moment, in milliseconds. Default: the first frame.",
  }),
  photo_cover_index: field(wholeNumber(1, MAX_INT32), {
    label: "Photo that is the cover",
    type: "integer",
    minimum: 1,
    maximum: MAX_INT32,
    description: "Which photo is the cover, counted from 1. Default: 1.",
  }),
  post_mode: field(otherwise(choice(POST_MODES), "DIRECT_POST"), {
    label: "How TikTok gets the post",
    type: "string",
    values: POST_MODES,
    description:
      "DIRECT_POST publishes; DRAFT or MEDIA_UPLOAD puts the post into the creator's inbox. Default: DIRECT_POST.",
  }),
});

export type TikTokSettings = SettingsOf<typeof settings>;

export const isForInbox = ({ post_mode }: TikTokSettings): boolean => post_mode !== "DIRECT_POST";
