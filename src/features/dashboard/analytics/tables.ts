import { platformName } from "../../../platforms/registry.ts";
import type { DayFigures, Line, Part, Period } from "../../analytics/period.ts";
import {
  add,
  type Counters,
  engagementIn,
  METRICS,
  UNMEASURED,
} from "../../analytics/rules/counters.ts";
import { toDate } from "../../analytics/rules/days.ts";
import { accountPath, postPath } from "./view.ts";

/** Null is not measured. */
export type Cell = string | number | null;

export interface Table {
  /** As its CSV file. */
  name: string;
  caption: string;
  head: readonly string[];
  /** The first cell names the row. */
  rows: readonly (readonly Cell[])[];
  /** Of the rows. */
  links?: readonly string[];
}

export const WEEKDAYS = [
  ...["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"],
] as const;
/** Monday first. */
export const WEEK = [1, 2, 3, 4, 5, 6, 0] as const;

export const hourName = (hour: number): string => `${String(hour).padStart(2, "0")}:00`;

const WEEK_DAYS = 7;
/** Longer periods with several lines are drawn by weeks. */
const MAX_SINGLE_DAYS = 90;

export type Measure = "views" | "engagement" | "followers";

export const amountOf = ({ gains, engagement, followers }: DayFigures, measure: Measure) =>
  measure === "views" ? (gains[0] ?? null) : measure === "engagement" ? engagement : followers;

/** The last week ends with the last day. */
function byWeek(days: readonly DayFigures[]): DayFigures[] {
  const first = days.length % WEEK_DAYS;
  const weeks = first === 0 ? [] : [days.slice(0, first)];
  for (let i = first; i < days.length; i += WEEK_DAYS) weeks.push(days.slice(i, i + WEEK_DAYS));
  return weeks.map((week) => {
    const gains = week.reduce<Counters>((sum, day) => add(sum, day.gains), UNMEASURED);
    return {
      day: week[0]?.day ?? 0,
      gains,
      engagement: engagementIn(gains),
      followers: week.findLast(({ followers }) => followers !== null)?.followers ?? null,
    };
  });
}

export interface Drawn {
  unit: "day" | "week";
  /** Values are what was reached, not gains. */
  isTotal?: boolean;
  lines: readonly Line[];
}

/** What a chart draws: all together, or a line for each platform or account. */
export function drawnOf({ filter }: Period, part: Part): Drawn {
  if (filter.split === "none")
    return { unit: "day", lines: [{ name: "", platform: null, days: part.days }] };
  const lines = part.lines.map(({ name, platform, days }) => ({
    ...{ platform, days },
    name: [name, platform && platformName(platform)].filter(Boolean).join(" on "),
  }));
  if (filter.days <= MAX_SINGLE_DAYS) return { unit: "day", lines };
  return { unit: "week", lines: lines.map((line) => ({ ...line, days: byWeek(line.days) })) };
}

const NAMES: Record<Measure, string> = {
  views: "Views",
  engagement: "Engagement",
  followers: "Followers",
};

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export function dayTable(
  measure: Measure,
  { unit, isTotal = false, lines }: Drawn,
  isSplit: boolean,
): Table {
  const caption = `${NAMES[measure]} ${isTotal ? "at the end of each" : "by"} ${unit}`;
  const days = lines[0]?.days ?? [];
  const dates = days.map(({ day }) => toDate(day));
  const first = unit === "day" ? "Day" : "Week from";
  if (isSplit || measure !== "engagement") {
    return {
      ...{ name: measure, caption },
      head: [first, ...lines.map(({ name }) => name || NAMES[measure])],
      rows: dates.map((date, i) => [
        date,
        ...lines.map(({ days }) => (days[i] ? amountOf(days[i], measure) : null)),
      ]),
    };
  }
  return {
    ...{ name: measure, caption },
    head: [first, "Likes", "Comments", "Shares", "Engagement"],
    rows: days.map(({ day, gains, engagement }) => [
      toDate(day),
      ...METRICS.slice(1).map((_, i) => gains[i + 1] ?? null),
      engagement,
    ]),
  };
}

export function summaryTable({ filter }: Period, { changes }: Part): Table {
  const { views, likes, comments, shares, engagement, followers, postsPublished } = changes;
  const rows = Object.entries({ views, likes, comments, shares, engagement });
  return {
    name: "summary",
    caption: `These ${filter.days} days and the ${filter.days} before`,
    head: ["Figure", "These days", "Days before", "Change", "Change in %"],
    rows: [
      ...rows.map(([name, { current, previous, change, changePct }]) => [
        ...[capital(name), current, previous, change, changePct],
      ]),
      [
        ...["Followers", followers.total, followers.previous],
        ...[followers.change, followers.changePct],
      ],
      [
        ...["Posts", postsPublished.current, postsPublished.previous],
        ...[postsPublished.change, null],
      ],
    ],
  };
}

function accountTable({ accounts }: Part): Table {
  return {
    name: "accounts",
    caption: "By account",
    head: ["Account", "Platform", "Views", "Engagement", "Followers", "Posts"],
    rows: accounts.map(({ name, platform, views, engagement, followers, posts }) => [
      ...[name, platformName(platform), views, engagement, followers, posts],
    ]),
    links: accounts.map(({ id }) => accountPath(id)),
  };
}

function platformTable({ platforms }: Part): Table {
  return {
    name: "platforms",
    caption: "By platform",
    head: ["Platform", "Accounts", "Views", "Engagement", "Followers", "Posts"],
    rows: platforms.map(({ platform, accounts, views, engagement, followers, posts }) => [
      ...[platformName(platform), accounts, views, engagement, followers, posts],
    ]),
  };
}

export function postTable({ posts }: Pick<Part, "posts">): Table {
  return {
    name: "posts",
    caption: "Best posts published in this period, by views and then by engagement",
    head: [
      ...["Post", "Account", "Platform", "Published", "Views", "Likes", "Comments", "Shares"],
      ...["Engagement", "Address", "Best by"],
    ],
    rows: posts.map((post) => [
      ...[post.title || "Without text", post.accountName, platformName(post.platform)],
      ...[post.publishedAt, ...post.counters],
      ...[engagementIn(post.counters), post.url ?? "", post.bestBy],
    ]),
    links: posts.map(({ accountId, id }) => postPath(accountId, id)),
  };
}

const enough = (isRanked: boolean): string => (isRanked ? "yes" : "no");

function gridTable({ grid }: Part): Table {
  return {
    name: "grid",
    caption: "Average views by weekday and hour of publication",
    head: ["Weekday", "Hour", "Posts", "Average views", "Enough posts"],
    rows: WEEK.flatMap((weekday) =>
      (grid[weekday] ?? []).flatMap(({ posts, avgViews, ranked }, hour) =>
        posts === 0
          ? []
          : [[WEEKDAYS[weekday] ?? "", hourName(hour), posts, avgViews, enough(ranked)]],
      ),
    ),
  };
}

function weekdayTable({ figures }: Part): Table {
  const { byWeekday } = figures.postingInsights;
  return {
    name: "weekdays",
    caption: "Average views by weekday",
    head: ["Weekday", "Posts", "Average views", "Enough posts"],
    rows: WEEK.flatMap((weekday) => {
      const one = byWeekday[weekday];
      if (!one) return [];
      const average = one.posts === 0 ? null : one.avgViews;
      return [[WEEKDAYS[weekday] ?? "", one.posts, average, enough(one.ranked)]];
    }),
  };
}

function hourTable({ figures }: Part): Table {
  return {
    name: "hours",
    caption: "Average views by hour",
    head: ["Hour", "Posts", "Average views", "Enough posts"],
    rows: figures.postingInsights.byHour.map(({ hour, posts, avgViews, ranked }) => [
      ...[hourName(hour), posts, posts === 0 ? null : avgViews, enough(ranked)],
    ]),
  };
}

function hashtagTable({ figures }: Part): Table {
  return {
    name: "hashtags",
    caption: "Hashtags of all known posts",
    head: ["Hashtag", "Posts", "Views", "Engagement"],
    rows: figures.topHashtags.map(({ tag, posts, views, engagement }) => [
      ...[`#${tag}`, posts, views, engagement],
    ]),
  };
}

function totalTable({ figures }: Part): Table {
  const { totalViews, totalLikes, totalComments, totalShares, videoCount } = figures.overview;
  return {
    name: "totals",
    caption: "All known posts, since they were published",
    head: ["Figure", "All in all"],
    rows: [
      ["Posts", videoCount],
      ["Views", totalViews],
      ["Likes", totalLikes],
      ["Comments", totalComments],
      ["Shares", totalShares],
    ],
  };
}

const MAKERS: Record<string, (period: Period, part: Part) => Table> = {
  summary: summaryTable,
  accounts: (_, part) => accountTable(part),
  platforms: (_, part) => platformTable(part),
  posts: (_, part) => postTable(part),
  grid: (_, part) => gridTable(part),
  weekdays: (_, part) => weekdayTable(part),
  hours: (_, part) => hourTable(part),
  hashtags: (_, part) => hashtagTable(part),
  totals: (_, part) => totalTable(part),
};

export const tableOf = (name: string, period: Period, part: Part): Table =>
  (MAKERS[name] ?? summaryTable)(period, part);

const MEASURES: readonly string[] = ["views", "engagement", "followers"];

export const TABLES: readonly string[] = [...MEASURES, ...Object.keys(MAKERS)];

/** Has single days where the page has weeks. */
export function csvTable(name: string, period: Period, part: Part): Table {
  if (!MEASURES.includes(name)) return tableOf(name, period, part);
  const { split } = period.filter;
  const drawn = drawnOf({ ...period, filter: { ...period.filter, days: 7 } }, part);
  return dayTable(name as Measure, drawn, split !== "none");
}
