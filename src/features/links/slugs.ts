/** Spec is silent: long enough for a phrase, short enough for a poster. */
export const MAX_SLUG_CHARACTERS = 64;

/** A slug as it is compared. The alphabet is closed: letters of other scripts that look alike are not in it. */
const SLUG = /^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?$/;

/** Words that stand for something else at the root of a host, or that a visitor would take for it. */
export const RESERVED_SLUGS: ReadonlySet<string> = new Set([
  ...["about", "account", "accounts", "admin", "api", "app", "assets", "auth", "billing"],
  ...[
    "blog",
    "branding",
    "cdn-cgi",
    "connect",
    "contact",
    "dashboard",
    "docs",
    "favicon",
    "files",
    "health",
  ],
  ...["help", "home", "index", "invite", "legal", "login", "logout", "mcp", "media", "null"],
  ...["oauth", "openapi", "password", "privacy", "review", "robots", "root", "s", "sandbox"],
  ...["security", "settings", "sign-in", "sign-up", "signin", "signup", "sitemap", "static"],
  ...["status", "storage", "support", "terms", "undefined", "www"],
]);

/** Turns a slug into the form in which slugs are compared: full-width letters and capitals are the same. */
export const foldSlug = (text: string): string => text.normalize("NFKC").toLowerCase();

/** Returns true for what can be the slug of a link, in the form of `foldSlug`. */
export const isSlug = (key: string): boolean =>
  key.length <= MAX_SLUG_CHARACTERS && SLUG.test(key) && !RESERVED_SLUGS.has(key);

/** Returns why a text cannot be a slug; null where it can. */
export function refusedSlug(text: string): string | null {
  const key = foldSlug(text);
  if (key.length > MAX_SLUG_CHARACTERS)
    return `must have at most ${MAX_SLUG_CHARACTERS} characters`;
  if (!SLUG.test(key)) {
    return "must have only the letters a to z, digits, - and _, and begin and end with a letter or digit";
  }
  return RESERVED_SLUGS.has(key) ? "is a reserved word: choose another" : null;
}

/** Digits and letters that nobody takes for one another. */
const ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz";
/** 2.7 x 10^10 slugs: nobody finds one by trying. */
const GENERATED_CHARACTERS = 7;
/** Highest multiple of the alphabet's length in a byte: bytes from there on would prefer some letters. */
const FAIR_BYTES = 256 - (256 % ALPHABET.length);

/** Makes a slug that nobody can guess. */
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
