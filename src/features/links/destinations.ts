import { hostNameOf } from "../../core/hosts.ts";

/** Longest destination. Spec is silent. */
export const MAX_URL_CHARACTERS = 2_048;

/** Where the instance's own short links stand, as its configuration has it. */
export interface OwnAddresses {
  /** Host names on which every path is a short link. */
  shortHosts: readonly (string | null)[];
  /** Host names on which those under /s/ are. */
  mainHosts: readonly (string | null)[];
}

/** Source: design of the addresses, `/s/{slug}`. */
export const SHORT_PATH = "/s/";

/** Names by which an instance may be reached beside its own: this machine's, and the one Cloudflare gives a Worker. */
const OTHER_NAMES = /^(?:localhost|127\.[\d.]+|\[::1\])$|\.workers\.dev$/;

/** Returns true for the address of a short link of this instance. */
export function isOwnShortLink(url: URL, { shortHosts, mainHosts }: OwnAddresses): boolean {
  const name = hostNameOf(url.host);
  if (shortHosts.includes(name)) return true;
  const isMain = mainHosts.includes(name) || OTHER_NAMES.test(name);
  return isMain && url.pathname.startsWith(SHORT_PATH);
}

/** Line breaks end a header; the parser of URLs would drop them silently. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/;

/** A destination as it is kept: parsed, and in ASCII. */
export interface Destination {
  href: string;
  /** The name of its host. */
  host: string;
}

/** Reads a destination, or says why nobody is sent there. It is judged as browsers parse it. */
export function readDestination(
  text: string,
  own: OwnAddresses,
): Destination | { refusal: string } {
  if (text.length > MAX_URL_CHARACTERS) {
    return { refusal: `must have at most ${MAX_URL_CHARACTERS} characters` };
  }
  if (CONTROL.test(text)) return { refusal: "must not have line breaks or control characters" };
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return { refusal: "is not a URL" };
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return { refusal: "must be an http or https URL" };
  }
  if (url.username || url.password) {
    return { refusal: "must not contain a user name or password" };
  }
  if (isOwnShortLink(url, own)) return { refusal: OWN_LINK };
  if (url.href.length > MAX_URL_CHARACTERS) {
    return { refusal: `must have at most ${MAX_URL_CHARACTERS} characters once it is encoded` };
  }
  const href = url.href === `${text}/` ? text : url.href;
  return { href, host: hostNameOf(url.host) };
}

/** A chain of short links could lead in a circle. */
export const OWN_LINK =
  "must not be a short link of this service: give the address that it leads to";
