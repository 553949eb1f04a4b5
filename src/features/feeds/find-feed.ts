import { decodeHTML } from "entities";
import { fieldError, invalidFields } from "../../core/errors.ts";
import type { Ctx } from "../../deps.ts";
import { fetchFeed } from "./fetch-feed.ts";
import { type Entry, readFeed } from "./read-feed.ts";

export interface FoundFeed {
  url: string;
  entries: Entry[];
  etag: string | null;
  lastModified: string | null;
}

const refuse = (message: string) => invalidFields([fieldError("url", message)]);

const CHANNEL = /^\/channel\/(UC[\w-]{22})\/?$/;

/** YouTube has feeds of channels and playlists under other addresses than their pages. */
function youTubeFeed(address: string): string {
  const url = URL.parse(address);
  if (!url || !/^(?:www\.|m\.)?youtube\.com$/.test(url.hostname)) return address;
  const channel = CHANNEL.exec(url.pathname)?.[1];
  const playlist = url.pathname === "/playlist" ? url.searchParams.get("list") : null;
  const feed = "https://www.youtube.com/feeds/videos.xml";
  if (channel) return `${feed}?channel_id=${channel}`;
  return playlist ? `${feed}?playlist_id=${encodeURIComponent(playlist)}` : address;
}

const LINK = /<link\b[^<>]*>/gi;
/** The head of a page stands at its beginning. */
const HEAD_CHARACTERS = 200_000;
/** More than a feed of 2 MB has. */
const MAX_FIRST_ENTRIES = 2_000;
const FEED_TYPE = /\btype\s*=\s*["']application\/(?:rss\+xml|atom\+xml|feed\+json)["']/i;
const HREF = /\bhref\s*=\s*["']([^"']+)["']/i;

/** The feed that a page names. */
function feedOfPage(html: string, address: string): string | null {
  const link = html
    .slice(0, HEAD_CHARACTERS)
    .match(LINK)
    ?.find((tag) => FEED_TYPE.test(tag));
  const href = link && HREF.exec(link)?.[1];
  return (href && URL.parse(decodeHTML(href), address)?.href) || null;
}

/**
 * Reads the feed at an address, or the one that the page there names.
 *
 * @throws AppError 400 for what is not a feed, and for one that cannot be read
 */
export async function findFeed(ctx: Ctx, address: string): Promise<FoundFeed> {
  const first = youTubeFeed(address);
  const answer = await tryAddress(ctx, first);
  if (!("page" in answer)) return answer;
  const named = feedOfPage(answer.page, first);
  const namedFeed = named === null ? null : await tryAddress(ctx, named);
  if (namedFeed && !("page" in namedFeed)) return namedFeed;
  throw refuse("there is no feed. Send the address of an RSS, Atom or JSON feed.");
}

async function tryAddress(ctx: Ctx, url: string): Promise<FoundFeed | { page: string }> {
  const fetched = await fetchFeed(ctx, { url, etag: null, lastModified: null });
  if (fetched.kind === "unchanged") throw refuse("it answered 304 without being asked to.");
  if (fetched.kind === "failed") throw refuse(fetched.problem);
  const { text, etag, lastModified } = fetched;
  const entries = readFeed(text, fetched.url, MAX_FIRST_ENTRIES);
  return entries ? { url, entries, etag, lastModified } : { page: text };
}
