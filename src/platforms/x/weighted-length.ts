import { parse as emojiIn } from "twemoji-parser";
import extractUrlsWithIndices, {
  type FoundUrl,
} from "twitter-text/dist/esm/extractUrlsWithIndices.js";

const BETWEEN_NAMES = /([^\p{L}\p{N}\p{M}._-]+)/u;
const SEPARATORS = /[._-]/g;
/** A domain name has at most 127 dots. Source: RFC 1035, 2.3.4. */
const MAX_SEPARATORS = 127;

const BETWEEN_WORDS = /(\s+)/;
const BRACKETS = /[()]/g;
const MAX_BRACKETS = 40;

const withoutCrowds = (text: string, between: RegExp, signs: RegExp, max: number): string =>
  text
    .split(between)
    .map((part) => ((part.match(signs)?.length ?? 0) > max ? part.replace(signs, "x") : part))
    .join("");

/** UTF-16 units. X accepts no URL of the `longest`. */
const PART = { preferred: 300, max: 800, longest: 8_000 };
const SPACE = /\s/g;
/** A character that is neither ASCII nor a modifier of the one before. */
const APART = /(?<!\u200D)(?![\p{M}\p{RI}\p{EMod}\p{Cf}])\P{ASCII}/gu;

const LOW_SURROGATE = /^[\uDC00-\uDFFF]/;

function indexFrom(text: string, pattern: RegExp, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}

/** Breaks up runs like `a.a.a.a` and `(a)(a)`: twitter-text takes quadratic time on them, and no domain has them. */
export function* toParts(text: string): Generator<string> {
  const whole = text.normalize("NFC");
  let [space, apart] = [-1, -1];
  for (let start = 0; start < whole.length; ) {
    if (space < start + PART.preferred) space = indexFrom(whole, SPACE, start + PART.preferred);
    const isNear = space <= start + PART.max;
    if (!isNear && apart < start + PART.max) apart = indexFrom(whole, APART, start + PART.max);
    const cut = Math.min(isNear ? space : Math.min(space, apart), start + PART.longest);
    const end = LOW_SURROGATE.test(whole.charAt(cut)) ? cut - 1 : cut;
    const names = withoutCrowds(whole.slice(start, end), BETWEEN_NAMES, SEPARATORS, MAX_SEPARATORS);
    yield withoutCrowds(names, BETWEEN_WORDS, BRACKETS, MAX_BRACKETS);
    start = end;
  }
}

/** Punycode overflows on a label of thousands of letters and a rare mark, which no domain has. */
export function urlsIn(part: string): FoundUrl[] {
  try {
    return extractUrlsWithIndices(part);
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

const URL_WEIGHT = 23;
/** Source: twitter-text, config version 3. */
const LIGHT = /^[\0-\u10ff\u2000-\u200d\u2010-\u201f\u2032-\u2037]/;

function weightOf(part: string): number {
  const text = part.normalize();
  const urls = new Map(urlsIn(text).map(({ url, indices: [start] }) => [start, url.length]));
  const emoji = new Map(emojiIn(text).map(({ text: own, indices: [at] }) => [at, own.length]));
  let weight = 0;
  for (let i = 0; i < text.length; ) {
    const url = urls.get(i);
    const [length, own] = url ? [url, URL_WEIGHT] : ofCharacter(text, i, emoji.get(i));
    weight += own;
    i += length;
  }
  return weight;
}

function ofCharacter(text: string, at: number, emoji = 0): [length: number, weight: number] {
  if (emoji > 0) return [emoji, 2];
  if ((text.codePointAt(at) ?? 0) > 0xffff) return [2, 2];
  return [1, LIGHT.test(text.charAt(at)) ? 1 : 2];
}

/** Stops beyond `enough`. @see https://docs.x.com/fundamentals/counting-characters */
export function weightedLength(text: string, enough = Number.POSITIVE_INFINITY): number {
  let length = 0;
  for (const part of toParts(text)) {
    length += weightOf(part);
    if (length > enough) break;
  }
  return length;
}
