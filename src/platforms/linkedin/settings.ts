import { choice, field, formFields, otherwise, type SettingsOf } from "../kit/form-fields.ts";

const VISIBILITIES = ["PUBLIC", "CONNECTIONS"] as const;
/** Source: spec, "Uploads: create", `linkedin`. */
const MEDIA_TYPES = ["DOCUMENT"] as const;

export const settings = formFields({
  visibility: field(otherwise(choice(VISIBILITIES), "PUBLIC"), {
    label: "Who can see the post",
    type: "string",
    values: VISIBILITIES,
    description: "Who sees the post; a page's post is always PUBLIC. Default: PUBLIC.",
  }),
  media_type: field(choice(MEDIA_TYPES), {
    label: "Kind of post",
    type: "string",
    values: MEDIA_TYPES,
    description: "Says that the file in photo is a document. Not needed: the type is detected.",
  }),
});

export type LinkedInSettings = SettingsOf<typeof settings>;
