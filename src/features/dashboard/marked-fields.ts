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
  startTime: "the start",
  devices: "a device",
  os: "a system",
};

const INSTANT = /^Must be a date and time with its offset\b/;

const inWords = (message: string): string => {
  if (INSTANT.test(message)) return "Give a date that exists, and a time.";
  const lower = message.charAt(0).toLowerCase() + message.slice(1);
  const text = lower.replace(
    /\b(?:botProtection|startTime|devices|os)\b/g,
    (name) => LABELS[name] ?? name,
  );
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
