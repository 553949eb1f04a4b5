import { formatCount } from "../../core/counts.ts";
import {
  choices,
  type FieldReader,
  field,
  formFields,
  readJsonList,
  readList,
  type SettingsOf,
} from "../kit/form-fields.ts";
import { capabilities } from "./capabilities.ts";

/** Source: lexicon app.bsky.feed.post. */
const MAX_LANGS = 3;

/** Content warnings. Source: spec, "Uploads: create", `bluesky`. */
const LABELS = ["sexual", "nudity", "porn", "graphic-media", "!no-unauthenticated"];

function canonicalLanguage(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}

const langs: FieldReader<string[]> = (raw, refuse) => {
  const entries = readList(raw);
  if (entries.length > MAX_LANGS) {
    return refuse(`Bluesky takes up to ${MAX_LANGS} languages; ${entries.length} were sent.`);
  }
  const tags = entries.map((tag) => {
    const canonical = canonicalLanguage(tag);
    if (canonical === null) {
      refuse(`"${tag}" is not a language tag; write it like en or pt-BR.`);
    }
    return canonical ?? tag;
  });
  return [...new Set(tags)];
};

const altText: FieldReader<string | string[]> = (raw) =>
  typeof raw === "string" ? (readJsonList(raw) ?? raw) : (raw ?? "");

export const settings = formFields({
  bluesky_langs: field(langs, {
    label: "Languages of the text",
    type: "array",
    description: `Languages of the text as BCP-47 tags, up to ${MAX_LANGS}, comma-separated or repeated. Default: none.`,
  }),
  bluesky_labels: field(choices(LABELS, "a Bluesky label"), {
    label: "Content warnings",
    type: "array",
    values: LABELS,
    description: `Content warnings, comma-separated or repeated: ${LABELS.join(", ")}. Default: none.`,
  }),
  bluesky_alt_text: field(altText, {
    type: "array",
    description: `Alt text of up to ${formatCount(capabilities.limits.altTextCharacters)} graphemes: one for the video or for all images, or repeated, one per image in order. Default: empty.`,
  }),
});

/** A `bluesky_alt_text` string applies to every file. */
export type BlueskySettings = SettingsOf<typeof settings>;
