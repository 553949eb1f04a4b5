import { formatCount } from "../../core/counts.ts";
import {
  type FieldReader,
  field,
  formFields,
  readJsonList,
  readList,
  refuseEach,
  type SettingsOf,
} from "../kit/form-fields.ts";
import { capabilities } from "./capabilities.ts";

/** Language tags of one post. Source: lexicon app.bsky.feed.post. */
const MAX_LANGS = 3;

/** The content warnings an author may put on a post. Source: spec, "Uploads: create", `bluesky`. */
const LABELS = ["sexual", "nudity", "porn", "graphic-media", "!no-unauthenticated"];

/** The tag in its usual spelling (`en-us` becomes `en-US`), or null when it is malformed. */
function canonicalLanguage(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}

const langs: FieldReader<string[]> = (raw, refuse) => {
  const given = readList(raw);
  if (given.length > MAX_LANGS) {
    return refuse(`Bluesky takes up to ${MAX_LANGS} languages; ${given.length} were sent.`);
  }
  const tags = given.map((tag) => {
    const canonical = canonicalLanguage(tag);
    if (canonical === null) {
      refuse(`"${tag}" is not a language tag; write it like en or pt-BR.`);
    }
    return canonical ?? tag;
  });
  return [...new Set(tags)];
};

const labels: FieldReader<string[]> = (raw, refuse) => {
  const values = readList(raw);
  const unknown = values.filter((label) => !LABELS.includes(label));
  const known = LABELS.join(", ");
  refuseEach(unknown, (label) => `"${label}" is not a Bluesky label; use ${known}.`, refuse);
  return values;
};

const altText: FieldReader<string | string[]> = (raw) =>
  typeof raw === "string" ? (readJsonList(raw) ?? raw) : (raw ?? "");

/**
 * The form fields of a Bluesky post. Lists arrive comma-separated, repeated, or as a JSON array; each
 * refused entry is an issue of its own.
 */
export const settings = formFields({
  bluesky_langs: field(langs, {
    type: "array",
    description: `Languages of the text as BCP-47 tags, up to ${MAX_LANGS}, comma-separated or repeated. Default: none.`,
  }),
  bluesky_labels: field(labels, {
    type: "array",
    values: LABELS,
    description: `Content warnings, comma-separated or repeated: ${LABELS.join(", ")}. Default: none.`,
  }),
  bluesky_alt_text: field(altText, {
    type: "array",
    description: `Alt text of up to ${formatCount(capabilities.limits.altTextCharacters)} graphemes: one for the video or for all images, or repeated, one per image in order. Default: empty.`,
  }),
});

/** Parsed; `bluesky_alt_text` as a string stands for every file, as an array for one file each. */
export type BlueskySettings = SettingsOf<typeof settings>;
