import {
  choice,
  field,
  flag,
  formFields,
  otherwise,
  publicUrl,
  type SettingsOf,
} from "../kit/form-fields.ts";

/** Source: spec, "Uploads: create", `facebook`. */
const MEDIA_TYPES = ["REELS", "VIDEO"] as const;
/** May be http, because only Facebook reads it. */
const link = publicUrl({ allowHttp: true });

export const settings = formFields({
  link: field(link, {
    label: "Link",
    type: "string",
    description: "URL that a text post shows a preview of; left out when the post has media.",
  }),
  media_type: field(choice(MEDIA_TYPES), {
    label: "Kind of post",
    type: "string",
    values: MEDIA_TYPES,
    description: "How a video is published. Default: VIDEO.",
  }),
  is_aigc: field(otherwise(flag, false), {
    label: "Made with AI",
    type: "boolean",
    description: "Labels photos, albums and reels as made with AI; not for VIDEO. Default: false.",
  }),
});

export type FacebookSettings = SettingsOf<typeof settings>;
