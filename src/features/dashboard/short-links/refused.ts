import { AppError, type FieldError } from "../../../core/errors.ts";
import { attempt, plainly, type Shown } from "../refusals.ts";

export type FieldRefusals = ReadonlyMap<string, string>;

export interface Refused extends Shown {
  fields: FieldRefusals;
}

export const NO_REFUSALS: FieldRefusals = new Map();

/** The API's names of fields, as the page calls them. */
const LABELS: Record<string, string> = {
  botProtection: "the box above",
  startTime: "the start",
  devices: "a device",
  os: "a system",
};

const INSTANT = /^must be a date and time with its offset\b/;

const asSentence = (words: string): string => {
  if (INSTANT.test(words)) return "Give a date that exists, and a time.";
  const text = plainly(words).replace(
    /\b(?:botProtection|startTime|devices|os)\b/g,
    (name) => LABELS[name] ?? name,
  );
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
};

const MARKED = "Nothing was saved. Change what is marked below, then send it again.";

export async function attemptForm(action: () => Promise<unknown>): Promise<Refused | null> {
  const fields = new Map<string, string>();
  const refused = await attempt(async () => {
    try {
      await action();
    } catch (error) {
      if (error instanceof AppError) {
        for (const { field, message } of (error.extras.errors ?? []) as FieldError[]) {
          const text = message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
          if (!fields.has(field)) fields.set(field, asSentence(text));
        }
        if (error.code === "SLUG_TAKEN") fields.set("slug", error.message);
        if (error.code === "DOMAIN_TAKEN") fields.set("domain", error.message);
      }
      throw error;
    }
  });
  if (!refused) return null;
  const notice = fields.size > 0 ? { text: MARKED, isRefusal: true } : refused.notice;
  return { ...refused, notice, fields };
}
