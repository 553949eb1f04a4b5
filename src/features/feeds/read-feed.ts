import { decodeHTML } from "entities";
import { parseFeed } from "feedsmith";

export interface Entry {
  id: string | null;
  title: string;
  link: string | null;
  /** Plain text. */
  summary: string;
  author: string;
  publishedAt: Date | null;
  picture: string | null;
}

/** Entries of a check; the newest count. */
const MAX_ENTRIES = 500;
const SUMMARY_CHARACTERS = 500;
/** Of a text of an entry: its end is not looked at. */
const LOOKED_AT_CHARACTERS = 20_000;

/** Newest first. Null for what is not a feed. */
export function readFeed(text: string, address: string, max = MAX_ENTRIES): Entry[] | null {
  const entries = parse(text)?.toSorted(byDate);
  return entries?.slice(0, max).map((entry) => absolute(entry, address)) ?? null;
}

/** Entries without a date keep their places. */
const byDate = (one: Entry, other: Entry): number =>
  one.publishedAt && other.publishedAt
    ? other.publishedAt.getTime() - one.publishedAt.getTime()
    : 0;

function parse(text: string): Entry[] | null {
  try {
    const parsed = parseFeed(text);
    if (parsed.format === "atom")
      return (parsed.feed.entries ?? []).map((one) => ofAtom(one as AtomEntry));
    if (parsed.format === "json")
      return (parsed.feed.items ?? []).map((one) => ofJson(one as JsonItem));
    if (parsed.format === "rdf")
      return (parsed.feed.items ?? []).map((one) => ofRdf(one as RssItem));
    return (parsed.feed.items ?? []).map((one) => ofRss(one as RssItem));
  } catch {
    return null;
  }
}

/** The fields that are used, which the parser's types say in full. */
type Maybe<T> = { [K in keyof T]?: T[K] | undefined };
type Text = Maybe<{ value: string }>;
type Media = Maybe<{
  title: Text;
  description: Text;
  contents: Maybe<{ url: string; type: string; medium: string }>[];
  thumbnails: Maybe<{ url: string }>[];
  groups: Media[];
}>;

type AtomEntry = Maybe<{
  id: string;
  title: Text;
  content: Text;
  summary: Text;
  published: string;
  updated: string;
  authors: Maybe<{ name: string }>[];
  links: Maybe<{ href: string; rel: string; type: string }>[];
  media: Media;
}>;

type RssItem = Maybe<{
  guid: Maybe<{ value: string; isPermaLink: boolean }>;
  title: string;
  link: string;
  description: string;
  content: Maybe<{ encoded: string }>;
  pubDate: string;
  authors: Maybe<{ name: string }>[];
  dc: Maybe<{ creators: string[]; dates: string[] }>;
  enclosures: Maybe<{ url: string; type: string }>[];
  media: Media;
  rdf: Maybe<{ about: string }>;
}>;

type JsonItem = Maybe<{
  id: string;
  url: string;
  external_url: string;
  title: string;
  summary: string;
  content_html: string;
  content_text: string;
  image: string;
  banner_image: string;
  date_published: string;
  authors: Maybe<{ name: string }>[];
}>;

function ofAtom(entry: AtomEntry): Entry {
  const html = entry.content?.value ?? entry.summary?.value ?? "";
  const group = entry.media?.groups?.[0];
  const links = entry.links ?? [];
  const link = links.find(({ rel = "alternate" }) => rel === "alternate") ?? links[0];
  const enclosure = links.find(({ rel, type }) => rel === "enclosure" && isPicture(type));
  return {
    id: entry.id ?? null,
    title: plainText(entry.title?.value ?? group?.title?.value ?? ""),
    link: link?.href ?? null,
    summary: summaryOf(entry.summary?.value || html || group?.description?.value),
    author: entry.authors?.[0]?.name ?? "",
    publishedAt: dateOf(entry.published ?? entry.updated),
    picture:
      enclosure?.href ?? pictureOfMedia(entry.media) ?? pictureOfMedia(group) ?? pictureIn(html),
  };
}

function ofRss(item: RssItem): Entry {
  const html = item.content?.encoded ?? item.description ?? "";
  const enclosure = item.enclosures?.find(({ type }) => isPicture(type));
  return {
    id: item.guid?.value ?? null,
    title: plainText(item.title ?? ""),
    link: item.link ?? (item.guid?.isPermaLink === false ? null : (item.guid?.value ?? null)),
    summary: summaryOf(item.description ?? html),
    author: plainText(item.authors?.[0]?.name ?? item.dc?.creators?.[0] ?? ""),
    publishedAt: dateOf(item.pubDate ?? item.dc?.dates?.[0]),
    picture:
      enclosure?.url ??
      pictureOfMedia(item.media) ??
      pictureOfMedia(item.media?.groups?.[0]) ??
      pictureIn(html),
  };
}

function ofRdf(item: RssItem): Entry {
  const html = item.content?.encoded ?? item.description ?? "";
  return {
    id: item.rdf?.about ?? null,
    title: plainText(item.title ?? ""),
    link: item.link ?? null,
    summary: summaryOf(item.description ?? html),
    author: plainText(item.dc?.creators?.[0] ?? ""),
    publishedAt: dateOf(item.dc?.dates?.[0]),
    picture: pictureOfMedia(item.media) ?? pictureIn(html),
  };
}

function ofJson(item: JsonItem): Entry {
  const html = item.content_html ?? "";
  return {
    id: item.id ?? null,
    title: plainText(item.title ?? ""),
    link: item.url ?? item.external_url ?? null,
    summary: summaryOf(item.summary ?? item.content_text ?? html),
    author: item.authors?.[0]?.name ?? "",
    publishedAt: dateOf(item.date_published),
    picture: item.image ?? item.banner_image ?? pictureIn(html),
  };
}

const isPicture = (type: string | undefined): boolean => type?.startsWith("image/") ?? false;

function pictureOfMedia({ contents = [], thumbnails = [] }: Media = {}): string | undefined {
  const content = contents.find(({ type, medium }) => medium === "image" || isPicture(type));
  return content?.url ?? thumbnails[0]?.url;
}

const IMAGE = /<img\b[^<>]*?\bsrc\s*=\s*["']([^"'<>]+)["']/i;

const pictureIn = (html: string): string | null => {
  const source = IMAGE.exec(html.slice(0, LOOKED_AT_CHARACTERS))?.[1];
  return source === undefined ? null : decodeHTML(source);
};

/** Without its end, each hides the rest of the text, as in a browser. */
const HIDDEN =
  /<!--(?:[\s\S]*?-->|[\s\S]*)|<(script|style)\b[^<>]*>(?:[\s\S]*?<\/\1\s*>|[\s\S]*)/gi;
const TAG = /<[a-z/!][^<>]*>/gi;

/** What some feeds have left of their tags when it is decoded. */
const ESCAPED_TWICE = /<\/(?:p|div|a|span|ul|table)>/i;

export const plainText = (html: string): string =>
  decodeHTML(html.slice(0, LOOKED_AT_CHARACTERS).replace(HIDDEN, " ").replace(TAG, " "))
    .replace(/\s+/g, " ")
    .trim();

function summaryOf(html: string | undefined): string {
  const once = plainText(html ?? "");
  const characters = [...(ESCAPED_TWICE.test(once) ? plainText(once) : once)];
  if (characters.length <= SUMMARY_CHARACTERS) return characters.join("");
  return `${characters.slice(0, SUMMARY_CHARACTERS).join("").trimEnd()}…`;
}

function dateOf(text: string | undefined): Date | null {
  const at = new Date(text ?? "");
  return Number.isNaN(at.getTime()) ? null : at;
}

/** Addresses of entries may be relative to the feed's. */
function absolute(entry: Entry, address: string): Entry {
  const resolve = (url: string | null) => {
    const whole = url === null ? null : URL.parse(url.trim(), address);
    return whole && /^https?:$/.test(whole.protocol) ? whole.href : null;
  };
  return { ...entry, link: resolve(entry.link), picture: resolve(entry.picture) };
}
