/** Spec is silent: long enough for a phrase, short enough for a poster. */
export const MAX_SLUG_CHARACTERS = 64;

/** Only ASCII, to refuse look-alike letters. */
const SLUG = /^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?$/;

export const RESERVED_SLUGS: ReadonlySet<string> = new Set(
  (
    "about account accounts admin api app assets auth billing blog branding calendar cdn-cgi connect " +
    "contact dashboard docs favicon files health help home index invite legal login logout " +
    "mcp media null oauth openapi password privacy report review robots root s sandbox security " +
    "settings sign-in sign-up signin signup sitemap static status storage support terms " +
    "undefined www"
  ).split(" "),
);

/** Reserved later: links that have them already go on working below `/s` and on their domains. */
const RESERVED_FOR_NEW: ReadonlySet<string> = new Set([
  "authorize",
  "claim",
  "device",
  "device_authorization",
  "register",
  "revoke",
  "token",
]);

/** Equates full-width and capital letters with small ones. */
export const foldSlug = (text: string): string => text.normalize("NFKC").toLowerCase();

/** Expects the result of `foldSlug`. */
export const isSlug = (key: string): boolean =>
  key.length <= MAX_SLUG_CHARACTERS && SLUG.test(key) && !RESERVED_SLUGS.has(key);

export function refusedSlug(text: string): string | null {
  const key = foldSlug(text);
  if (key.length > MAX_SLUG_CHARACTERS)
    return `must have at most ${MAX_SLUG_CHARACTERS} characters`;
  if (!SLUG.test(key)) {
    return "must have only the letters a to z, digits, - and _, and begin and end with a letter or digit";
  }
  const isReserved = RESERVED_SLUGS.has(key) || RESERVED_FOR_NEW.has(key);
  return isReserved ? "is a reserved word: choose another" : null;
}

/** Without look-alike characters. */
const ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz";
/** 2.7 x 10^10 possible slugs, too many to guess. */
const GENERATED_CHARACTERS = 7;
/** Random bytes from here on would make some letters more likely. */
const FAIR_BYTES = 256 - (256 % ALPHABET.length);

export function newSlug(): string {
  let slug = "";
  while (slug.length < GENERATED_CHARACTERS) {
    for (const byte of crypto.getRandomValues(new Uint8Array(GENERATED_CHARACTERS))) {
      if (byte < FAIR_BYTES && slug.length < GENERATED_CHARACTERS) {
        slug += ALPHABET[byte % ALPHABET.length];
      }
    }
  }
  return slug;
}
