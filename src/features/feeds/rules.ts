import { DAY, HOUR, MINUTE } from "../../core/time.ts";
import type { Entry } from "./read-feed.ts";
import type { FeedRow } from "./table.ts";

export const DEFAULT_TEMPLATE = "{title}\n{link}";

/** Spec is silent. A chore wakes due feeds every hour, and may come some minutes earlier than the last time. */
export const CHECK_EVERY_MS = HOUR - 10 * MINUTE;
const MAX_WAIT_MS = DAY;
/** Posts that one check makes at most; the rest waits for the next. */
const MAX_POSTS = 50;

/** @param askedMs what the server asks to wait */
export function nextCheck(now: Date, failures: number, askedMs = 0): Date {
  const backoff = CHECK_EVERY_MS * 2 ** Math.min(failures, 5);
  return new Date(now.getTime() + Math.min(Math.max(backoff, askedMs), MAX_WAIT_MS));
}

export const entriesAtOnce = (accounts: number): number =>
  Math.max(1, Math.floor(MAX_POSTS / Math.max(1, accounts)));

/**
 * The oldest entries come first. After a refusal each check begins at another entry, so that newer entries are tried while
 * older ones are refused.
 *
 * @param fresh the oldest first
 */
export function entriesToTake<T>(
  fresh: readonly T[],
  { accountIds, problem }: Pick<FeedRow, "accountIds" | "problem">,
  now: Date,
): T[] {
  const most = entriesAtOnce(accountIds.length);
  if (problem === null || fresh.length <= most) return fresh.slice(0, most);
  const start = (Math.floor(now.getTime() / CHECK_EVERY_MS) * most) % fresh.length;
  return [...fresh.slice(start), ...fresh.slice(0, start)].slice(0, most);
}

/**
 * What an entry is recognised by: its id and its address, each unless another entry of the feed has the same. One of
 * them may change while the entry stays. An entry that stands twice, with the same id and the same address, has names once.
 */
export function namesOf(listed: readonly Entry[]): Map<Entry, string[]> {
  const identities = listed.map(identityOf);
  const entries = listed.filter((_, i) => identities.indexOf(identities[i] ?? "") === i);
  const idCounts = countsOf(entries.map(({ id }) => id));
  const linkCounts = countsOf(entries.map(({ link }) => link));
  return new Map(
    entries.map((entry) => {
      const { id, link, publishedAt } = entry;
      const names = [
        ...(id && idCounts.get(id) === 1 ? [`id ${id}`] : []),
        ...(link && linkCounts.get(link) === 1 ? [`link ${link}`] : []),
      ];
      // Without an id, the address may belong to other entries at other times.
      const isTold = names.length > 0 && (id !== null || publishedAt === null);
      return [entry, isTold ? names : [...names, titleName(entry)]];
    }),
  );
}

const titleName = ({ title, publishedAt }: Entry): string =>
  `entry ${title} ${publishedAt?.toISOString() ?? ""}`;

const identityOf = (entry: Entry): string =>
  JSON.stringify([entry.id, entry.link, ...(entry.id && entry.link ? [] : [titleName(entry)])]);

function countsOf(values: readonly (string | null)[]): Map<string | null, number> {
  const counts = new Map<string | null, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

export const VARIABLES = ["title", "link", "summary", "author", "date"] as const;

const VARIABLE = /\{([a-z_]+)\}/gi;

/** The first name in braces that is no variable of an entry. */
export const unknownVariable = (template: string): string | undefined =>
  [...template.matchAll(VARIABLE)]
    .map(([, name = ""]) => name)
    .find((name) => !VARIABLES.some((one) => one === name));

/** An entry cannot name a block of the team, or end the name of one. */
const harmless = (text: string): string =>
  text.replace(/[{}|]/g, " ").replace(/ {2,}/g, " ").trim();

export function fillTemplate(template: string, entry: Entry): string {
  const values: Record<(typeof VARIABLES)[number], string> = {
    title: harmless(entry.title),
    link: (entry.link ?? "").replace(/[{}|]/g, encodeURIComponent),
    summary: harmless(entry.summary),
    author: harmless(entry.author),
    date: entry.publishedAt?.toISOString().slice(0, "2026-12-01".length) ?? "",
  };
  return template
    .replace(VARIABLE, (whole, name: string) => (values as Record<string, string>)[name] ?? whole)
    .trim();
}
