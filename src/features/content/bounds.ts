import { formatCount } from "../../core/counts.ts";
import { type FieldError, fieldError } from "../../core/errors.ts";
import { BROKEN_TEXT, isBrokenText, isLongerThan } from "../../core/text.ts";
import type { RawField } from "../../platforms/kit/form-fields.ts";

/** Spec is silent. */
export const MAX_ACCOUNTS = 100;

/**
 * Texts that every post stores, used by its platform or not. Spec is silent: titles leave room for long posts on X,
 * descriptions for Facebook.
 */
export const MAX_TITLE_CHARACTERS = 30_000;
export const MAX_DESCRIPTION_CHARACTERS = 70_000;
/** Any other field, all values together: ten times the largest limit of a platform. */
export const MAX_FIELD_CHARACTERS = 10_000;
/** Posts after the first one of a thread. Spec is silent. */
export const MAX_THREAD = 25;
export const MAX_THREAD_CHARACTERS = 80_000;
/** Of one file: more than any platform takes. */
export const MAX_ALT_TEXT_CHARACTERS = 5_000;
/** Of all files together. */
const MAX_ALT_TEXTS_CHARACTERS = 200_000;
/** All other fields together, which keeps a row below D1's 2 MB. */
const MAX_FIELDS_CHARACTERS = 100_000;
export const MAX_URL_CHARACTERS = 4_096;

export type Texts = Record<string, RawField | null>;

const OWN_BOUNDS = {
  title: MAX_TITLE_CHARACTERS,
  description: MAX_DESCRIPTION_CHARACTERS,
  caption: MAX_DESCRIPTION_CHARACTERS,
  thread: MAX_THREAD_CHARACTERS,
  alt_text: MAX_ALT_TEXTS_CHARACTERS,
};

const ownBound = (field: string): number | undefined =>
  Object.hasOwn(OWN_BOUNDS, field) ? OWN_BOUNDS[field as keyof typeof OWN_BOUNDS] : undefined;

const refuse = (field: string, max: number): FieldError =>
  fieldError(field, `must have at most ${formatCount(max)} characters.`);

export function textErrors(texts: Texts): FieldError[] {
  let together = 0;
  const broken: FieldError[] = [];
  const long: FieldError[] = [];
  for (const [field, value] of Object.entries(texts)) {
    const values = [value ?? ""].flat();
    if (values.some(isBrokenText)) broken.push(fieldError(field, `${BROKEN_TEXT}.`));
    const text = values.join("");
    const own = ownBound(field);
    if (isLongerThan(text, own ?? MAX_FIELD_CHARACTERS)) {
      long.push(refuse(field, own ?? MAX_FIELD_CHARACTERS));
    } else if (own === undefined) {
      together += [...text].length;
    }
  }
  if (together > MAX_FIELDS_CHARACTERS) {
    const field = "settings";
    const max = formatCount(MAX_FIELDS_CHARACTERS);
    const message = `All fields except title and description must have at most ${max} characters together.`;
    long.push({ field, message });
  }
  return [...broken, ...long];
}
