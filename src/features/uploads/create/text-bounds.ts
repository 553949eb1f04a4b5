import type { FieldError } from "../../../core/errors.ts";
import { formatCount, isLongerThan } from "../../../core/text.ts";

/**
 * Characters of every text that a post stores, whether its platform uses it or not. Spec is silent: the
 * title leaves room for X's long posts, the description for Facebook's.
 */
export const MAX_TITLE_CHARACTERS = 30_000;
export const MAX_DESCRIPTION_CHARACTERS = 70_000;
/** Of any other field, all its values together: ten times what any platform takes. */
export const MAX_FIELD_CHARACTERS = 10_000;
/** Of all other fields together: with these, title and description a row stays under D1's 2 MB. */
export const MAX_FIELDS_CHARACTERS = 100_000;
/** Of an address under which a file is to be found. */
export const MAX_URL_CHARACTERS = 4_096;

const OWN_BOUNDS = new Map([
  ["title", MAX_TITLE_CHARACTERS],
  ["description", MAX_DESCRIPTION_CHARACTERS],
  ["caption", MAX_DESCRIPTION_CHARACTERS],
]);

/** Told of the accounts they are for, and stored by none: as long as a form lets them be. */
const UNSTORED = new Set(["accounts", "overrides"]);

const refuse = (field: string, most: number): FieldError => ({
  field,
  message: `${field}: must have at most ${formatCount(most)} characters.`,
});

/** The texts of a form that are too long to be stored. */
export function boundErrors(fields: ReadonlyMap<string, readonly string[]>): FieldError[] {
  let together = 0;
  const found: FieldError[] = [];
  for (const [field, values] of fields) {
    if (UNSTORED.has(field)) continue;
    const own = OWN_BOUNDS.get(field);
    const text = values.join("");
    if (isLongerThan(text, own ?? MAX_FIELD_CHARACTERS)) {
      found.push(refuse(field, own ?? MAX_FIELD_CHARACTERS));
    } else if (own === undefined) {
      together += [...text].length;
    }
  }
  if (together > MAX_FIELDS_CHARACTERS) {
    const field = "settings";
    const most = formatCount(MAX_FIELDS_CHARACTERS);
    const message = `All fields but title and description must have at most ${most} characters together.`;
    found.push({ field, message });
  }
  return found;
}

/** Why an address is too long to be kept; null when it is not. */
export const urlRefusal = (url: string): string | null =>
  url.length > MAX_URL_CHARACTERS
    ? `has more than ${formatCount(MAX_URL_CHARACTERS)} characters`
    : null;
