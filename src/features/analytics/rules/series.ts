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

export interface DayRow {
  day: DayNumber;
  /** Null before a second reading. */
  gains: Counters | null;
  /** Last reading per metric, in ms since 1970. */
  readAt: Counters;
  followers: number | null;
  /** In ms since 1970. */
  followersAt: number;
}

export interface MonthRow {
  month: string;
  gains: Counters | null;
  /** On the month's last measured day. */
  followers: number | null;
}

export interface Series {
  /** First reading of the account's posts, in ms since 1970. */
  firstAt: number | null;
  /** Ascending. */
  days: readonly DayRow[];
  months: readonly MonthRow[];
}

export interface AccountState {
  series: Series;
  posts: readonly StoredPost[];
}

export const NOTHING: AccountState = {
  series: { firstAt: null, days: [], months: [] },
  posts: [],
};

export interface SyncReading {
  /** In ms since 1970. */
  at: number;
  posts: readonly PostReading[] | null;
  followers: number | null;
}

export interface Measures {
  metrics: readonly boolean[];
  /** The platform's limit; null for our default. */
  keepDays: number | null;
  /** Older days are added up by month. */
  keepsMonths: boolean;
}

/** Source: spec, "Collection schedule". */
export const MAX_POSTS = 1_000;
const DAYS_KEPT_MONTHS = 25;

/**
 * Adds a sync, in any order, but ignores a sync over 14 days older than the newest.
 *
 * @param uploadIds our ids by the platform's ids
 */
export function takeSync(
  state: AccountState,
  sync: SyncReading,
  uploadIds: ReadonlyMap<string, number>,
  measures: Measures,
): AccountState {
  const day = dayOf(sync.at);
  const storedDays = state.series.days;
  const open = Math.max(day, storedDays.at(-1)?.day ?? day) - OPEN_DAYS;
  if (day < open) return state;
  const posts = new Map(state.posts.map((post) => [post.id, post]));
  for (const reading of sync.posts ?? []) {
    const uploadId = uploadIds.get(reading.id) ?? null;
    posts.set(reading.id, takeReading(posts.get(reading.id), reading, uploadId));
  }
  const { firstAt: before } = state.series;
  const firstAt = sync.posts ? Math.min(before ?? sync.at, sync.at) : before;
  const settled = newestFirst([...posts.values()].map((post) => forgetDaysBefore(post, open)));
  const days = withDay(storedDays, sync).map((row) =>
    row.day < open ? row : { ...row, gains: gainsOf(settled, row, firstAt, measures) },
  );
  const series = { firstAt, days, months: state.series.months };
  const from = keptFrom(days, measures);
  return {
    series: measures.keepsMonths ? rollUp(series, from) : withoutDaysBefore(series, from),
    posts: kept(settled),
  };
}

const newestFirst = (posts: StoredPost[]): StoredPost[] =>
  posts.sort((a, b) => b.publishedAt - a.publishedAt || (a.id < b.id ? -1 : 1));

/** Keeps posts above the limit if they changed in the last 14 days. */
const kept = (posts: readonly StoredPost[]): StoredPost[] =>
  posts.filter(({ steps }, i) => i < MAX_POSTS || steps.length > 0);

/** The latest number of followers counts; of two read at once, the higher. */
function withDay(rows: readonly DayRow[], sync: SyncReading): DayRow[] {
  const { at, followers } = sync;
  const day = dayOf(at);
  const row = rows.find((one) => one.day === day) ?? {
    day,
    gains: null,
    readAt: UNMEASURED,
    followers: null,
    followersAt: 0,
  };
  const isLater =
    followers !== null &&
    (at > row.followersAt || (at === row.followersAt && followers > (row.followers ?? -1)));
  const readAt = highest(row.readAt, readBy(sync));
  const read = { ...row, readAt, ...(isLater ? { followers, followersAt: at } : {}) };
  return [...rows.filter((one) => one.day !== day), read].sort((a, b) => a.day - b.day);
}

/** All metrics of an account without posts count as read. */
function readBy({ at, posts }: SyncReading): Counters {
  const isRead = (i: number) =>
    posts?.length === 0 || posts?.some(({ counters }) => (counters[i] ?? null) !== null);
  return METRICS.map((_, i) => (isRead(i) ? at : null));
}

/** A gain is null unless a second reading measured the metric that day. */
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

function keptFrom(days: readonly DayRow[], { keepDays }: Measures): DayNumber {
  const last = days.at(-1)?.day ?? 0;
  const max = dayOf(addMonths(new Date(last * DAY), -DAYS_KEPT_MONTHS).getTime());
  return keepDays === null ? max : Math.max(max, last - keepDays);
}

/** Removes all months too, because they include earlier days. */
export const withoutDaysBefore = (series: Series, from: DayNumber): Series => ({
  ...series,
  days: series.days.filter(({ day }) => day >= from),
  months: [],
});

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
