import { parse } from "tldts";
import { countGraphemes, countUtf8Bytes } from "../../core/text.ts";

/** Source: lexicon app.bsky.richtext.facet, `tag`. */
const MAX_TAG_GRAPHEMES = 64;
const MAX_TAG_BYTES = 640;

/** `start` and `end` (exclusive) count UTF-16 units. */
export type Span = { start: number; end: number } & (
  | { kind: "link"; uri: string }
  | { kind: "mention"; handle: string }
  | { kind: "tag"; tag: string }
);

type Feature =
  | { $type: "app.bsky.richtext.facet#link"; uri: string }
  | { $type: "app.bsky.richtext.facet#mention"; did: string }
  | { $type: "app.bsky.richtext.facet#tag"; tag: string };

/** The index counts UTF-8 bytes; its end is exclusive. */
export interface Facet {
  index: { byteStart: number; byteEnd: number };
  features: Feature[];
}

const CJK = String.raw`\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}`;
const WORD = String.raw`\p{L}\p{N}\p{M}`;
/** Matches begin outside words, email addresses, paths and tags. U+FE0F ends an emoji. */
const BEFORE = String.raw`(?<=^|[${CJK}\uFE0F]|[^${WORD}_@#＃$\/\\.&=%+\-])`;
const AFTER = String.raw`(?![a-z0-9]|-+[a-z0-9]|\.[a-z0-9]|_|@[a-z0-9]|(?![${CJK}])[${WORD}])`;
const OPENING = String.raw`(?<=^|[\s(\[{"'“‘«（「『【])`;
const URL_CHARACTER = String.raw`[^\s<>"“”‘’«»「」『』（）【】《》〈〉、。，！？；：\u200B]`;
const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";

const LINK = new RegExp(String.raw`(?<![a-z0-9_@#＃$])https?:\/\/${URL_CHARACTER}+`, "giu");
const DOMAIN = new RegExp(
  String.raw`${BEFORE}(?<host>${LABEL}(?:\.${LABEL})+)${AFTER}(?::\d{1,5}(?!\d))?(?:[/?#]${URL_CHARACTER}*)?`,
  "giu",
);
const MENTION = new RegExp(String.raw`${BEFORE}@(?<handle>(?:${LABEL}\.)+${LABEL})${AFTER}`, "giu");
/** Zero-width characters end a tag: they are mostly leftovers of copying. */
const TAG_END = String.raw`\s\u00AD\u2060\u200A\u200B\u200C\u200D\u20E2`;
/** A tag needs a character besides digits and punctuation. `#` + U+FE0F is the keycap emoji. */
const TAG = new RegExp(
  String.raw`${OPENING}[#＃](?<tag>(?!\uFE0F)[^${TAG_END}]*[^\d\p{P}${TAG_END}][^${TAG_END}]*)`,
  "gu",
);
const CASHTAG = new RegExp(
  String.raw`${OPENING}\$(?<ticker>[a-z]{1,5})(?=$|[\s.,;:!?)\]"'’”])`,
  "giu",
);

const CLOSERS: Record<string, string> = { ")": "(", "]": "[", "}": "{" };

function trimUrl(url: string): string {
  let kept = url;
  for (;;) {
    const last = kept.at(-1) ?? "";
    const opener = CLOSERS[last];
    const isUnbalanced =
      opener !== undefined && kept.split(last).length > kept.split(opener).length;
    if (!isUnbalanced && !/[.,;:!?'…]/u.test(last)) return kept;
    kept = kept.slice(0, -1);
  }
}

/** Whether the host has a known top-level domain in lower case; `end.In` has none. */
function isRealDomain(host: string): boolean {
  const tld = host.slice(host.lastIndexOf(".") + 1);
  if (tld !== tld.toLowerCase()) return false;
  const parsed = parse(host);
  return parsed.isIcann === true && parsed.domain !== null;
}

function findLinks(text: string): Span[] {
  const links: Span[] = [];
  for (const match of text.matchAll(LINK)) {
    const uri = trimUrl(match[0]);
    if (!URL.canParse(uri)) continue;
    links.push({ kind: "link", start: match.index, end: match.index + uri.length, uri });
  }
  for (const match of text.matchAll(DOMAIN)) {
    if (!isRealDomain(match.groups?.host ?? "")) continue;
    const shown = trimUrl(match[0]);
    const uri = `https://${shown}`;
    if (!URL.canParse(uri)) continue;
    links.push({ kind: "link", start: match.index, end: match.index + shown.length, uri });
  }
  return links;
}

function findMentions(text: string): Span[] {
  const mentions: Span[] = [];
  for (const match of text.matchAll(MENTION)) {
    const handle = (match.groups?.handle ?? "").toLowerCase();
    // The protocol reserves .test for development networks.
    if (!isRealDomain(handle) && !handle.endsWith(".test")) continue;
    const end = match.index + match[0].length;
    mentions.push({ kind: "mention", start: match.index, end, handle });
  }
  return mentions;
}

function findTags(text: string): Span[] {
  const tags: Span[] = [];
  for (const match of text.matchAll(TAG)) {
    const tag = (match.groups?.tag ?? "").replace(/\p{P}+$/u, "");
    if (tag === "" || countGraphemes(tag) > MAX_TAG_GRAPHEMES) continue;
    if (countUtf8Bytes(tag) > MAX_TAG_BYTES) continue;
    tags.push({ kind: "tag", start: match.index, end: match.index + 1 + tag.length, tag });
  }
  for (const match of text.matchAll(CASHTAG)) {
    const tag = `$${(match.groups?.ticker ?? "").toUpperCase()}`;
    tags.push({ kind: "tag", start: match.index, end: match.index + tag.length, tag });
  }
  return tags;
}

/**
 * In text order, without overlaps: links win over mentions, mentions over tags. `RichText` of `@atproto/api` would
 * add 600 KB, miss links in quotes and CJK text, and link email addresses.
 */
export function findSpans(text: string): Span[] {
  const kept: Span[] = [];
  for (const span of [...findLinks(text), ...findMentions(text), ...findTags(text)]) {
    if (kept.every((other) => span.end <= other.start || other.end <= span.start)) kept.push(span);
  }
  return kept.sort((a, b) => a.start - b.start);
}

function toFeature(span: Span, dids: ReadonlyMap<string, string>): Feature | null {
  if (span.kind === "link") return { $type: "app.bsky.richtext.facet#link", uri: span.uri };
  if (span.kind === "tag") return { $type: "app.bsky.richtext.facet#tag", tag: span.tag };
  const did = dids.get(span.handle);
  return did ? { $type: "app.bsky.richtext.facet#mention", did } : null;
}

export function toFacets(
  text: string,
  spans: readonly Span[],
  dids: ReadonlyMap<string, string>,
): Facet[] {
  const facets: Facet[] = [];
  for (const span of spans) {
    const feature = toFeature(span, dids);
    if (!feature) continue;
    const byteStart = countUtf8Bytes(text.slice(0, span.start));
    const byteEnd = byteStart + countUtf8Bytes(text.slice(span.start, span.end));
    facets.push({ index: { byteStart, byteEnd }, features: [feature] });
  }
  return facets;
}
