import { parse } from "tldts";
import { toParts, urlsIn } from "./weighted-length.ts";

export { textOf } from "./post-text.ts";

const URL_WITH_PROTOCOL = /(?<![\p{L}\p{N}_])https?:\/\/[^\s/?#]/iu;

const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
/** Not part of a word, email address, path or longer name. */
const BARE_DOMAIN = new RegExp(
  String.raw`(?<![\p{L}\p{N}\p{M}_@#＃$/\\.&=%+-])${LABEL}(?:\.${LABEL})+(?![\p{L}\p{N}_@-])`,
  "giu",
);

/** The public suffix list knows domains added since twitter-text's list of 2019. */
const hasRealTopLevel = (host: string): boolean => parse(host.toLowerCase()).isIcann === true;

const hasBareDomain = (text: string): boolean =>
  urlsIn(text).length > 0 ||
  [...text.matchAll(BARE_DOMAIN)].some(([host]) => hasRealTopLevel(host));

/** A URL, or a bare domain with an existing top-level domain. */
export function hasLink(text: string): boolean {
  if (URL_WITH_PROTOCOL.test(text)) return true;
  return text.includes(".") && toParts(text).some(hasBareDomain);
}
