import type { FieldError } from "../../../core/errors.ts";
import { attemptFields, type Shown } from "../refusals.ts";

/** What a refused form gives back to its page. */
export interface RefusedForm {
  /** Of the form on the page, such as slot-new. */
  id: string;
  sent: ReadonlyMap<string, readonly string[]>;
  errors: readonly FieldError[];
}

export type ShownForm = Shown & { refused: RefusedForm };

/** Messages of the API that speak of its own fields, in words of the page. */
const WORDS: Record<string, string> = {
  days: "Choose one day at least.",
  accountIds: "Choose one account at least.",
  time: "Write a time of day such as 09:30.",
};

/** Where the page shows the errors of a field of the API. */
const PLACES: Record<string, string> = {
  "repeat.every.days": "repeat_days",
  "repeat.times": "repeat_times",
  repeat: "repeat_days",
};

const ALONE = /^Are texts of an item that repeats/;

const placeOf = (field: string): string =>
  PLACES[field] ?? (field.startsWith("variants") ? "variants" : (field.split(".")[0] ?? field));

function toPageError({ field, message }: FieldError): FieldError {
  const place = placeOf(field);
  const words = ALONE.test(message) ? "Say above how often the item goes out too." : message;
  return { field: place, message: WORDS[place] ?? words };
}

/** Returns a refusal with the errors of each field, null on success. @throws other errors */
export async function attemptForm(
  id: string,
  sent: () => RefusedForm["sent"],
  action: () => Promise<unknown>,
): Promise<ShownForm | null> {
  const refused = await attemptFields(action);
  if (!refused) return null;
  const errors = refused.errors.map(toPageError);
  const text =
    errors.length > 0 ? "Nothing was changed. See what is marked below." : refused.notice?.text;
  return {
    ...refused,
    notice: { text: text ?? "", isRefusal: true },
    refused: { id, sent: sent(), errors },
  };
}

export const sentFields = (form: FormData): Map<string, string[]> => {
  const sent = new Map<string, string[]>();
  for (const [name, value] of form) {
    if (typeof value === "string") sent.set(name, [...(sent.get(name) ?? []), value]);
  }
  return sent;
};

export interface FormState {
  valueOf(name: string, initial?: string): string;
  valuesOf(name: string, initial?: readonly string[]): readonly string[];
  errorOf(name: string): string | null;
  isRefused: boolean;
}

export function formState(id: string, refused: RefusedForm | null): FormState {
  const own = refused?.id === id ? refused : null;
  return {
    valueOf: (name, initial = "") => (own ? (own.sent.get(name)?.[0] ?? "") : initial),
    valuesOf: (name, initial = []) => (own ? (own.sent.get(name) ?? []) : initial),
    errorOf: (name) => {
      const messages = own?.errors.flatMap(({ field, message }) =>
        field === name ? [message] : [],
      );
      return messages && messages.length > 0 ? [...new Set(messages)].join(" ") : null;
    },
    isRefused: own !== null,
  };
}
