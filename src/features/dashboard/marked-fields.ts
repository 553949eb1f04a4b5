import { attemptFields, type Shown } from "./refusals.ts";

export type FieldRefusals = ReadonlyMap<string, string>;

export interface Refused extends Shown {
  fields: FieldRefusals;
  code: string | null;
}

export const NO_REFUSALS: FieldRefusals = new Map();

/** The API's names of fields, as the page calls them. */
const LABELS: Record<string, string> = {
  botProtection: "the box above",
  devices: "a device",
  os: "a system",
};

const SENTENCES: readonly [RegExp, string][] = [
  [/^Must be a date and time with its offset\b.*$/, "Give a date that exists, and a time."],
  [/^Needs startTime or endTime\b.*$/, "Give “From” or “Until”, or both."],
  [/^Must be after startTime\b.*$/, "Must be after “From”."],
  [
    / country of ISO 3166-1 alpha-2\b.*$/,
    " country. Write its English name, such as Germany, or its code, such as DE.",
  ],
  [/^Must be an http or https URL\b.*$/, "Must begin with https:// or http://."],
  [/^Must be an https URL\b.*$/, "Must begin with https://."],
];

const inWords = (refusal: string): string => {
  const message = SENTENCES.reduce(
    (words, [found, better]) => words.replace(found, better),
    refusal,
  );
  const lower = message.charAt(0).toLowerCase() + message.slice(1);
  const text = lower.replace(/\b(?:botProtection|devices|os)\b/g, (name) => LABELS[name] ?? name);
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
};

const MARKED = "Nothing was saved. Change what is marked below, then send it again.";

/** Fields of refusals that name one by their code alone. */
const FIELDS_OF_CODES: Record<string, string> = { SLUG_TAKEN: "slug", DOMAIN_TAKEN: "domain" };

export async function attemptForm(action: () => Promise<unknown>): Promise<Refused | null> {
  const refused = await attemptFields(action);
  if (!refused) return null;
  const fields = new Map<string, string>();
  for (const { field, message } of refused.errors) {
    if (!fields.has(field)) fields.set(field, inWords(message));
  }
  const named = FIELDS_OF_CODES[refused.code ?? ""];
  if (named) fields.set(named, refused.notice?.text ?? "");
  const notice = fields.size > 0 ? { text: MARKED, isRefusal: true } : refused.notice;
  return { ...refused, notice, fields };
}
