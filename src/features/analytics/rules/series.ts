import { addMonths, DAY } from "../../../core/time.ts";
import { add, type Counters, highest, METRICS, UNMEASURED } from "./counters.ts";
import { type DayNumber, dayOf, monthOf } from "./days.ts";
import {
  forgetDaysBefore,
  gainOf,
  OPEN_DAYS,
  type PostReading,
  type StoredPost,
  takeReading,
} from "./snapshots.ts";

/** A day on which an account was read. */
export interface DayRow {
  day: DayNumber;
  /** Null where no metric was measured: counting begins with the first reading. */
  gains: Counters | null;
  /** When each metric was read last on that day, in ms; null where it was not. */
  readAt: Counters;
  followers: number | null;
  /** When its followers were read, in ms. */
  followersAt: number;
}

/** The days of a month together, once they are too old to be kept one by one. */
export interface MonthRow {
  /** As `2026-11`. */
  month: string;
  gains: Counters | null;
  /** On the last day that was measured. */
  followers: number | null;
}

export interface Series {
  /** When the account's posts were first read, in ms; null before. */
  firstAt: number | null;
  /** In the order of days. */
  days: readonly DayRow[];
  months: readonly MonthRow[];
}

/** Everything that is stored of an account. */
export interface AccountState {
  series: Series;
  /** Newest first. */
  posts: readonly StoredPost[];
}

export const NOTHING: AccountState = {
  series: { firstAt: null, days: [], months: [] },
  posts: [],
};

/** Everything that one sync has read. */
export interface SyncReading {
  /** In ms. */
  at: number;
  /** Null where they could not be read. */
  posts: readonly PostReading[] | null;
  /** Null where the platform does not tell, or was not asked. */
  followers: number | null;
}

/** The metrics that a platform tells, and for how long it lets single days be kept. */
export interface Measures {
  metrics: readonly boolean[];
  /** Null: as long as others. */
  keepDays: number | null;
}

/** Posts that are kept of an account. Source: spec, "Collection schedule". */
export const MOST_POSTS = 1_000;
/** Months for which single days are kept. */
const DAYS_KEPT_MONTHS = 25;

/**
 * Takes what a sync has read into the state of its account. The same syncs lead to the same state in any order
 * and however often each comes, as long as none is two weeks older than the last.
 *
 * @param uploadIds posts of ours by the platform's ids
 */
export function takeSync(
  state: AccountState,
  sync: SyncReading,
  uploadIds: ReadonlyMap<string, number>,
  measures: Measures,
): AccountState {
  const day = dayOf(sync.at);
  const known = state.series.days;
  const open = Math.max(day, known.at(-1)?.day ?? day) - OPEN_DAYS;
  if (day < open) return state;
  const posts = new Map(state.posts.map((post) => [post.id, post]));
  for (const reading of sync.posts ?? []) {
    const uploadId = uploadIds.get(reading.id) ?? null;
    posts.set(reading.id, takeReading(posts.get(reading.id), reading, uploadId));
  }
  const { firstAt: before } = state.series;
  const firstAt = sync.posts ? Math.min(before ?? sync.at, sync.at) : before;
  const settled = newestFirst([...posts.values()].map((post) => forgetDaysBefore(post, open)));
  const days = withDay(known, sync).map((row) =>
    row.day < open ? row : { ...row, gains: gainsOf(settled, row, firstAt, measures) },
  );
  const series = { firstAt, days, months: state.series.months };
  return { series: rollUp(series, keptFrom(days, measures)), posts: kept(settled) };
}

const newestFirst = (posts: StoredPost[]): StoredPost[] =>
  posts.sort((a, b) => b.publishedAt - a.publishedAt || (a.id < b.id ? -1 : 1));

/** A post that is one too many still counts for the days that are not settled. */
const kept = (posts: readonly StoredPost[]): StoredPost[] =>
  posts.filter(({ steps }, i) => i < MOST_POSTS || steps.length > 0);

/** The rows, with one of that day; of its followers the last reading counts, of two at once the higher. */
function withDay(rows: readonly DayRow[], sync: SyncReading): DayRow[] {
  const { at, followers } = sync;
  const day = dayOf(at);
  const row = rows.find((one) => one.day === day) ?? {
    ...{ day, gains: null, readAt: UNMEASURED, followers: null, followersAt: 0 },
  };
  const isLater =
    followers !== null &&
    (at > row.followersAt || (at === row.followersAt && followers > (row.followers ?? -1)));
  const readAt = highest(row.readAt, readBy(sync));
  const read = { ...row, readAt, ...(isLater ? { followers, followersAt: at } : {}) };
  return [...rows.filter((one) => one.day !== day), read].sort((a, b) => a.day - b.day);
}

/** The time of a sync for each metric that it has read; an account without posts has nothing to be read. */
function readBy({ at, posts }: SyncReading): Counters {
  const isRead = (i: number) =>
    posts?.length === 0 || posts?.some(({ counters }) => (counters[i] ?? null) !== null);
  return METRICS.map((_, i) => (isRead(i) ? at : null));
}

/**
 * The gains of all posts on a day. A metric is null where the platform has none, and where it was not read
 * on that day, or only at the reading with which counting begins.
 */
function gainsOf(
  posts: readonly StoredPost[],
  { day, readAt }: Pick<DayRow, "day" | "readAt">,
  firstAt: number | null,
  { metrics }: Measures,
): Counters | null {
  if (firstAt === null || day < dayOf(firstAt)) return null;
  const sum = posts.reduce<Counters>(
    (gains, post) => add(gains, gainOf(post, day, firstAt)),
    posts.length > 0 ? UNMEASURED : METRICS.map(() => 0),
  );
  const gains = METRICS.map((_, i) =>
    metrics[i] && (readAt[i] ?? 0) > firstAt ? (sum[i] ?? null) : null,
  );
  return gains.every((gain) => gain === null) ? null : gains;
}

/** The first day that is kept by itself, seen from the last one. */
function keptFrom(days: readonly DayRow[], { keepDays }: Measures): DayNumber {
  const last = days.at(-1)?.day ?? 0;
  const most = dayOf(addMonths(new Date(last * DAY), -DAYS_KEPT_MONTHS).getTime());
  return keepDays === null ? most : Math.max(most, last - keepDays);
}

/** Puts the days before this one into their months. */
function rollUp(series: Series, from: DayNumber): Series {
  const old = series.days.filter(({ day }) => day < from);
  if (old.length === 0) return series;
  const months = new Map(series.months.map((row) => [row.month, row]));
  for (const { day, gains, followers } of old) {
    const month = monthOf(day);
    const row = months.get(month) ?? { month, gains: null, followers: null };
    months.set(month, {
      month,
      gains: gains === null ? row.gains : add(row.gains ?? UNMEASURED, gains),
      followers: followers ?? row.followers,
    });
  }
  return {
    ...series,
    days: series.days.filter(({ day }) => day >= from),
    months: [...months.values()].sort((a, b) => (a.month < b.month ? -1 : 1)),
  };
}
