import { env } from "cloudflare:workers";
import type { Platform } from "../../../src/core/platforms.ts";
import { DAY, HOUR } from "../../../src/core/time.ts";
import type { Deps } from "../../../src/deps.ts";
import { measuresOf } from "../../../src/features/analytics/collect.ts";
import type { Counters } from "../../../src/features/analytics/rules/counters.ts";
import {
  NOTHING,
  type SyncReading,
  takeSync,
} from "../../../src/features/analytics/rules/series.ts";
import { summarize } from "../../../src/features/analytics/rules/summary.ts";
import { packSeries } from "../../../src/features/analytics/stored.ts";
import { START } from "../../support/harness.ts";

export const TODAY = Math.floor(START.getTime() / DAY);
export const dateOf = (day: number): string => new Date(day * DAY).toISOString().slice(0, 10);

const textOf = (html: string): string =>
  html
    .replace(/<[^>]*>/g, "")
    .replaceAll("&#39;", "'")
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&amp;", "&")
    .trim();

export type Cell = string | number | null;

function cellOf(html: string): Cell {
  const text = textOf(html);
  if (text === "not measured") return null;
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}

/** The rows of a table by its caption. */
export function rowsOf(html: string, caption: string): Cell[][] {
  const found = html.split("<table").find((part) => part.includes(`<caption>${caption}</caption>`));
  if (!found) return [];
  const body = /<tbody>([\s\S]*?)<\/tbody>/.exec(found)?.[1] ?? "";
  return body
    .split("<tr>")
    .slice(1)
    .map((row) =>
      [...row.matchAll(/<t[hd][^>]*>([\s\S]*?)<\/t[hd]>/g)].map(([, cell = ""]) => cellOf(cell)),
    );
}

export interface Post {
  id: string;
  counters: Counters;
  publishedAt?: number;
  uploadId?: number;
  text?: string;
}

export interface Night {
  daysAgo: number;
  /** Null where they could not be read. */
  posts: readonly Post[] | null;
  followers?: number | null;
}

const readingOf = ({ daysAgo, posts, followers = null }: Night): SyncReading => {
  const at = (TODAY - daysAgo) * DAY + 3 * HOUR;
  return {
    ...{ at, followers },
    posts:
      posts?.map(({ id, counters, publishedAt, text = `Post ${id} #tag${id.slice(-1)}` }) => ({
        ...{ id, at, counters, text, url: `https://example.com/${id}` },
        publishedAt: publishedAt ?? (TODAY - 100) * DAY,
        hashtags: [`tag${id.slice(-1)}`],
      })) ?? null,
  };
};

interface Nights {
  accountId: string;
  platform: Platform;
  nights: readonly Night[];
  errors?: readonly string[];
}

/** Stores what these nights leave of an account. */
export async function storeNights(
  deps: Deps,
  teamId: number,
  { accountId, platform, nights, errors = [] }: Nights,
): Promise<void> {
  const ours = nights.flatMap(({ posts }) => posts ?? []);
  const uploadIds = new Map(
    ours.flatMap(({ id, uploadId }) => (uploadId ? [[id, uploadId] as const] : [])),
  );
  const measures = measuresOf(deps, platform);
  const state = nights
    .map(readingOf)
    .reduce((before, night) => takeSync(before, night, uploadIds, measures), NOTHING);
  const at = START.getTime();
  await env.DB.batch([
    env.DB.prepare(
      "INSERT OR REPLACE INTO analytics VALUES (?, ?, 1, NULL, NULL, ?, ?, ?, ?)",
    ).bind(
      ...[teamId, accountId, at, JSON.stringify(errors.map((message) => ({ message, at })))],
      ...[JSON.stringify(packSeries(state.series)), JSON.stringify(summarize(state.posts))],
    ),
    env.DB.prepare("INSERT OR REPLACE INTO analytics_posts VALUES (?, ?, ?)").bind(
      ...[teamId, accountId, JSON.stringify(state.posts)],
    ),
  ]);
}
