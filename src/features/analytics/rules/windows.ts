import { add, type Counters, engagementIn, METRICS, type Metric, UNMEASURED } from "./counters.ts";
import type { DayNumber } from "./days.ts";
import type { DayRow } from "./series.ts";

/** Source: spec, "Analytics", summary. */
export const WINDOW_DAYS = 30;
/** Age at which a number of followers is outdated. */
const FOLLOWERS_STAND_DAYS = 7;

type Figures = Pick<DayRow, "day" | "gains" | "followers">;

interface Compared {
  days: readonly Figures[];
  published: readonly DayNumber[];
}

interface Change {
  change: number | null;
  /** Percent, two decimals; null without an earlier value. */
  changePct: number | null;
}

/**
 * Compares the days up to yesterday with as many before.
 *
 * @param accounts with at least one reading
 */
export function compareWindows(
  accounts: readonly Compared[],
  today: DayNumber,
  windowDays = WINDOW_DAYS,
) {
  const { views, followers, postsPublished } = comparePeriods(accounts, today, windowDays);
  return { windowDays, views, followers, postsPublished };
}

export function comparePeriods(
  accounts: readonly Compared[],
  today: DayNumber,
  windowDays: number,
) {
  const current = { from: today - windowDays, to: today };
  const previous = { from: today - 2 * windowDays, to: current.from };
  const gained = gainsByDay(accounts.map(({ days }) => days));
  const compared = (amountOf: (gains: Counters) => number | null) => {
    const [now, then] = [current, previous].map((window) => sumIn(gained, window, amountOf)) as [
      Gained,
      Gained,
    ];
    return {
      current: now.sum,
      previous: then.sum,
      ...changeOf(now.sum, then.sum),
      measuredDays: { current: now.days, previous: then.days },
    };
  };
  const of = (metric: Metric) => compared((gains) => gains[METRICS.indexOf(metric)] ?? null);
  const isRead = accounts.length > 0;
  const [postsNow, postsThen] = [current, previous].map((window) =>
    isRead ? postsIn(accounts, window) : null,
  ) as [number | null, number | null];
  return {
    views: of("views"),
    likes: of("likes"),
    comments: of("comments"),
    shares: of("shares"),
    engagement: compared(engagementIn),
    followers: followersOf(accounts, today, windowDays),
    postsPublished: {
      current: postsNow,
      previous: postsThen,
      change: changeOf(postsNow, postsThen).change,
    },
  };
}

interface Window {
  from: DayNumber;
  to: DayNumber;
}

const isIn = (day: DayNumber, { from, to }: Window): boolean => day >= from && day < to;

interface Gained {
  days: number;
  sum: number | null;
}

function sumIn(
  gained: ReturnType<typeof gainsByDay>,
  window: Window,
  amountOf: (gains: Counters) => number | null,
): Gained {
  const amounts = gained.flatMap(({ day, gains }) =>
    isIn(day, window) ? (amountOf(gains) ?? []) : [],
  );
  return {
    days: amounts.length,
    sum: amounts.length > 0 ? amounts.reduce((all, amount) => all + amount, 0) : null,
  };
}

const postsIn = (accounts: readonly Compared[], window: Window): number =>
  accounts.reduce(
    (sum, { published }) => sum + published.filter((day) => isIn(day, window)).length,
    0,
  );

function changeOf(current: number | null, previous: number | null): Change {
  if (current === null || previous === null) return { change: null, changePct: null };
  const change = current - previous;
  const changePct = previous === 0 ? null : Math.round((change / previous) * 10_000) / 100;
  return { change, changePct };
}

/** Only accounts measured in both windows count in the change. */
function followersOf(accounts: readonly Compared[], today: DayNumber, windowDays: number) {
  let total: number | null = null;
  let [now, then]: [number | null, number | null] = [null, null];
  for (const { days } of accounts) {
    const measured = days.filter(({ followers }) => followers !== null);
    const last = measured.at(-1)?.followers ?? null;
    if (last === null) continue;
    total = (total ?? 0) + last;
    const from = today - windowDays;
    const before = measured.findLast(({ day }) => day <= from);
    if (!before || before.day < from - FOLLOWERS_STAND_DAYS) continue;
    now = (now ?? 0) + last;
    then = (then ?? 0) + (before.followers ?? 0);
  }
  return { total, previous: then, ...changeOf(now, then) };
}

export function gainsByDay(
  accounts: readonly (readonly Figures[])[],
): { day: DayNumber; gains: Counters }[] {
  const byDay = new Map<DayNumber, Counters>();
  for (const days of accounts) {
    for (const { day, gains } of days) {
      const sum = byDay.get(day) ?? UNMEASURED;
      byDay.set(day, gains === null ? sum : add(sum, gains));
    }
  }
  return [...byDay].map(([day, gains]) => ({ day, gains })).sort((a, b) => a.day - b.day);
}

/** An account without a reading repeats its latest number, for up to 7 days. */
export function followersByDay(
  accounts: readonly (readonly Figures[])[],
): { day: DayNumber; followers: number }[] {
  const byDay = new Map<DayNumber, number>();
  const measured = accounts.map((days) => days.filter(({ followers }) => followers !== null));
  for (const { day } of measured.flat()) byDay.set(day, 0);
  const days = [...byDay.keys()].sort((a, b) => a - b);
  for (const rows of measured) {
    let place = -1;
    for (const day of days) {
      while ((rows[place + 1]?.day ?? Number.POSITIVE_INFINITY) <= day) place++;
      const row = rows[place];
      if (!row || row.day < day - FOLLOWERS_STAND_DAYS) continue;
      byDay.set(day, (byDay.get(day) ?? 0) + (row.followers ?? 0));
    }
  }
  return days.map((day) => ({ day, followers: byDay.get(day) ?? 0 }));
}
