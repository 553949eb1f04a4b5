import { DAY } from "../../core/time.ts";

/** A new format is a new number. Restoring refuses other numbers. */
export const FORMAT = 1;

export const FOLDER = "backups/";
export const MANIFEST = "manifest.json";
/** Lists the finished backups, for the command line, whose tools cannot list a deployed bucket. */
export const INDEX = `${FOLDER}index.json`;

/** The source of slices that list the objects of the bucket. */
export const OBJECTS = "objects";

/** Tables that say what this instance knows of its backups, which another instance cannot use. */
const OWN_TABLES = ["backups", "backup_slices"];

/** Tables of SQLite, D1 and wrangler, and what an interrupted restore left. */
const FOREIGN = /^(?:sqlite_|_cf_|d1_migrations$|restoring_)/;

export const isBackedUp = (table: string): boolean =>
  !FOREIGN.test(table) && !OWN_TABLES.includes(table);

/** Such as 2026-11-28T030412Z. Ids sort by time. */
export const backupId = (at: Date): string =>
  `${at.toISOString().slice(0, "2026-11-28T03:04:12".length).replaceAll(":", "")}Z`;

const ID = /^(\d{4}-\d{2}-\d{2}T)(\d{2})(\d{2})(\d{2})Z$/;

/** Null when the text is no id of a backup. */
export function startOf(id: string): Date | null {
  const [, day, hours, minutes, seconds] = ID.exec(id) ?? [];
  const at = new Date(`${day}${hours}:${minutes}:${seconds}Z`);
  return Number.isNaN(at.getTime()) ? null : at;
}

export const folderOf = (id: string): string => `${FOLDER}${id}/`;
export const manifestKey = (id: string): string => `${folderOf(id)}${MANIFEST}`;

const NUMBER_DIGITS = 6;

export const sliceName = (number: number, source: string): string =>
  `${String(number).padStart(NUMBER_DIGITS, "0")}-${source}.jsonl.gz`;

/** Source: issue of the project, "Backup and restore". */
const KEPT = { days: 7, weeks: 4, months: 12 };
/** The command that restores a backup is printed before an upgrade, so that it must work for a while. */
const KEPT_ANYWAY_MS = 2 * DAY;

/** Days since 1970 begin on a Thursday; weeks on a Monday. */
const weekOf = (at: Date): string => String(Math.floor((Math.floor(at.getTime() / DAY) + 3) / 7));
const dayOf = (at: Date): string => at.toISOString().slice(0, "2026-11-28".length);
const monthOf = (at: Date): string => at.toISOString().slice(0, "2026-11".length);

/**
 * The ids to delete. Kept are the newest backup of each of the last 7 days, 4 weeks and 12 months that have one, and all
 * that began in the two days before the newest. Texts that are no ids are never deleted.
 */
export function expired(ids: readonly string[]): string[] {
  const newestFirst = ids
    .flatMap((id) => {
      const at = startOf(id);
      return at ? [{ id, at }] : [];
    })
    .toSorted((a, b) => b.at.getTime() - a.at.getTime());
  const newest = newestFirst[0]?.at.getTime() ?? 0;
  const recent = newestFirst.filter(({ at }) => newest - at.getTime() < KEPT_ANYWAY_MS);
  const kept = new Set(recent.map(({ id }) => id));
  const keep = (periodOf: (at: Date) => string, count: number) => {
    const periods = new Set<string>();
    for (const { id, at } of newestFirst) {
      const period = periodOf(at);
      if (periods.has(period)) continue;
      if (periods.size === count) break;
      periods.add(period);
      kept.add(id);
    }
  };
  keep(dayOf, KEPT.days);
  keep(weekOf, KEPT.weeks);
  keep(monthOf, KEPT.months);
  return newestFirst.flatMap(({ id }) => (kept.has(id) ? [] : [id]));
}

/** An unfinished backup this old was given up. */
const GIVEN_UP_MS = 3 * DAY;

export const isGivenUp = (id: string, now: Date): boolean => {
  const at = startOf(id);
  return at !== null && now.getTime() - at.getTime() > GIVEN_UP_MS;
};

const OVERDUE_MS = 3 * DAY;

/** @param startedAt start of the first backup, which counts while none is finished */
export function isOverdue(
  { finishedAt, startedAt }: { finishedAt: Date | null; startedAt: Date | null },
  now: Date,
): boolean {
  const since = finishedAt ?? startedAt;
  return since !== null && now.getTime() - since.getTime() > OVERDUE_MS;
}

interface Table {
  name: string;
  /** Its CREATE TABLE statement. */
  sql: string;
}

/**
 * A backup takes minutes. A post that moves to the archive meanwhile would be in neither copy if these tables were copied
 * before the posts.
 */
const AFTER_POSTS = ["archive_members", "archive_files"];

/**
 * Tables with foreign keys before the tables that they refer to: a row that is read has its parent, unless the parent
 * was deleted in between.
 */
export function childrenFirst<T extends Table>(tables: readonly T[]): T[] {
  const names = new Set(tables.map(({ name }) => name));
  const parents = new Map(
    tables.map(({ name, sql }) => [
      name,
      [...sql.matchAll(/\bREFERENCES\s+"?(\w+)"?/gi)]
        .map(([, parent]) => String(parent))
        .filter((parent) => parent !== name && names.has(parent)),
    ]),
  );
  const depthOf = (name: string): number =>
    Math.max(0, ...(parents.get(name) ?? []).map((parent) => 1 + depthOf(parent)));
  const depths = new Map(tables.map(({ name }) => [name, depthOf(name)]));
  const isParent = new Set([...parents.values()].flat());
  const rank = ({ name }: Table) =>
    isParent.has(name) ? 1000 - (depths.get(name) ?? 0) : 1 + AFTER_POSTS.indexOf(name);
  return tables.toSorted((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}

/** How much one page of the chore copies. */
export interface PageSize {
  /** Text of one slice, before it is compressed. */
  sliceBytes: number;
  slices: number;
  /** Rows that one statement reads. */
  maxRows: number;
  /** Objects that one page deletes. */
  deletions: number;
}

/**
 * A run of the free plan has 10 ms of CPU and 50 subrequests; compressing 20 MB takes a second. A value of D1 has at
 * most 2 MB, and a slice is one value.
 *
 * @see https://developers.cloudflare.com/workers/platform/limits/
 * @see https://developers.cloudflare.com/d1/platform/limits/
 */
const FREE: PageSize = { sliceBytes: 40_000, slices: 4, maxRows: 1_000, deletions: 20 };
const PAID: PageSize = { sliceBytes: 1_000_000, slices: 24, maxRows: 5_000, deletions: 500 };

/** Source: `SUBREQUESTS_PER_INVOCATION`, which is 50 on the free plan. */
const FREE_SUBREQUESTS = 50;

export const pageSize = (subrequests: number): PageSize =>
  subrequests > FREE_SUBREQUESTS ? PAID : FREE;
