import { formatCount } from "../../core/counts.ts";
import {
  anyText,
  choice,
  field,
  formFields,
  otherwise,
  type SettingsOf,
} from "../kit/form-fields.ts";
import { capabilities } from "./capabilities.ts";

const { limits } = capabilities;

/** Source: spec, "Uploads: create", `threads`. */
const REPLY_CONTROLS = [
  "everyone",
  "accounts_you_follow",
  "mentioned_only",
  "parent_post_author_only",
  "followers_only",
] as const;

export const settings = formFields({
  threads_alt_text: field(anyText, {
    type: "string",
    maxLength: limits.altTextCharacters,
    description: `Alt text of every image and video of the post, up to ${formatCount(limits.altTextCharacters)} characters; not for a post of text alone.`,
  }),
  threads_reply_control: field(otherwise(choice(REPLY_CONTROLS), "everyone"), {
    label: "Who may reply",
    type: "string",
    values: REPLY_CONTROLS,
    description: "Who may reply. Default: everyone.",
  }),
});

export type ThreadsSettings = SettingsOf<typeof settings>;

export const partSettings = (): ThreadsSettings => ({
  threads_alt_text: null,
  threads_reply_control: "everyone",
});
