import { parse } from "tldts";
import extractUrlsWithIndices from "twitter-text/dist/esm/extractUrlsWithIndices.js";
import parseTweet from "twitter-text/dist/esm/parseTweet.js";

export { textOf } from "./post-text.ts";

const BETWEEN_NAMES = /([^\p{L}\p{N}\p{M}._-]+)/u;
const SEPARATORS = /[._-]/g;
/** Source: RFC 1035, 2.3.4: a name of 255 bytes has no more labels. */
const MAX_SEPARATORS = 127;

const BETWEEN_WORDS = /(\s+)/;
const BRACKETS = /[()]/g;
const MAX_BRACKETS = 40;

/** Other letters in place of the signs, in every part of the text that has too many of them. */
const withoutCrowds = (text: string, between: RegExp, signs: RegExp, most: number): string =>
  text
    .split(between)
    .map((part) => ((part.match(signs)?.length ?? 0) > most ? part.replace(signs, "x") : part))
    .join("");

/**
 * UTF-16 units: from the first on a part ends before a space, from the second before any such sign, and
 * at the last wherever it is: no address that X takes is as long.
 */
const PART = { wanted: 300, most: 800, longest: 8_000 };
const SPACE = /\s/g;
/** No ASCII, and nothing that changes what stands before it. */
const APART = /(?<!\u200D)(?![\p{M}\p{RI}\p{EMod}\p{Cf}])\P{ASCII}/gu;

const LOW_SURROGATE = /^[\uDC00-\uDFFF]/;

/** Returns the index of the first match from `from` on; the end of the text where there is none. */
function indexFrom(text: string, pattern: RegExp, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}

/**
 * The text in parts that are counted by themselves, without endless runs like `a.a.a.a` and `(a)(a)`:
 * no domain and hardly an address has them, and the patterns of twitter-text take the square of their
 * length. The same holds for long texts without a space.
 */
function* toParts(text: string): Generator<string> {
  const whole = text.normalize("NFC");
  let [space, apart] = [-1, -1];
  for (let start = 0; start < whole.length; ) {
    // A space that was found far ahead is not searched for again.
    if (space < start + PART.wanted) space = indexFrom(whole, SPACE, start + PART.wanted);
    const isNear = space <= start + PART.most;
    if (!isNear && apart < start + PART.most) apart = indexFrom(whole, APART, start + PART.most);
    const cut = Math.min(isNear ? space : Math.min(space, apart), start + PART.longest);
    const end = LOW_SURROGATE.test(whole.charAt(cut)) ? cut - 1 : cut;
    const names = withoutCrowds(whole.slice(start, end), BETWEEN_NAMES, SEPARATORS, MAX_SEPARATORS);
    yield withoutCrowds(names, BETWEEN_WORDS, BRACKETS, MAX_BRACKETS);
    start = end;
  }
}

/**
 * Counts as X does: a link is 23, an emoji sequence 2, Latin letters and the like 1, all others 2. Beyond
 * `enough` nothing more is counted.
 *
 * @see https://docs.x.com/fundamentals/counting-characters
 */
export function weightedLength(text: string, enough = Number.POSITIVE_INFINITY): number {
  let length = 0;
  for (const part of toParts(text)) {
    length += parseTweet(part).weightedLength;
    if (length > enough) break;
  }
  return length;
}

const URL_WITH_PROTOCOL = /(?<![\p{L}\p{N}_])https?:\/\/[^\s/?#]/iu;

const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
/** Not inside a word, an email address, a path or a longer name. */
const BARE_DOMAIN = new RegExp(
  String.raw`(?<![\p{L}\p{N}\p{M}_@#＃$/\\.&=%+-])${LABEL}(?:\.${LABEL})+(?![\p{L}\p{N}_@-])`,
  "giu",
);

/** The list of twitter-text is of 2019; the public suffix list knows what was added since. */
const hasRealTopLevel = (host: string): boolean => parse(host.toLowerCase()).isIcann === true;

const hasBareDomain = (text: string): boolean =>
  extractUrlsWithIndices(text).length > 0 ||
  [...text.matchAll(BARE_DOMAIN)].some(([host]) => hasRealTopLevel(host));

/** Returns true for a text with a URL, or a bare domain with a top-level domain that exists. */
export function hasLink(text: string): boolean {
  if (URL_WITH_PROTOCOL.test(text)) return true;
  return text.includes(".") && toParts(text).some(hasBareDomain);
}
