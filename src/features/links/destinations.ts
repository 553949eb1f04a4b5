import type { Config } from "../../config.ts";
import { hostNameOf } from "../../core/hosts.ts";
import { SHORT_PATH } from "../../core/link-address.ts";

/** Spec is silent. */
export const MAX_URL_CHARACTERS = 2_048;

export interface OwnAddresses {
  /** Hosts on which every path is a short link. */
  shortHosts: readonly (string | null)[];
  /** Hosts with short links only below /s/. */
  mainHosts: readonly (string | null)[];
}

/** The local machine, and workers.dev. */
const OTHER_NAMES = /^(?:localhost|127\.[\d.]+|\[::1\])$|\.workers\.dev$/;

export function isOwnShortLink(url: URL, { shortHosts, mainHosts }: OwnAddresses): boolean {
  const name = hostNameOf(url.host);
  if (shortHosts.includes(name)) return true;
  const isMain = mainHosts.includes(name) || OTHER_NAMES.test(name);
  return isMain && url.pathname.startsWith(SHORT_PATH);
}

/** Line breaks end an HTTP header, and URL parsers drop them silently. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/;

export interface Destination {
  href: string;
  host: string;
}

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

export const OWN_LINK =
  "must not be a short link of this service: give the address that it leads to";

type Settings = Pick<Config, "publicUrl" | "shortDomain">;

/** @param origin by which the instance was called */
export const ownAddresses = (
  { publicUrl, shortDomain }: Settings,
  origin: string,
): OwnAddresses => ({
  shortHosts: [shortDomain && hostNameOf(shortDomain)],
  mainHosts: [publicUrl ?? origin, origin].map((one) => hostNameOf(new URL(one).host)),
});

export function shortUrlOf(
  { shortDomain }: Settings,
  origin: string,
  { host, slug }: { host: string | null; slug: string },
): string {
  if (host !== null) return `https://${host}/${slug}`;
  if (shortDomain !== null) return `${new URL(origin).protocol}//${shortDomain}/${slug}`;
  return `${origin}${SHORT_PATH}${slug}`;
}
