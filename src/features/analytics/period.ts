import type { SQL } from "drizzle-orm";
import { notFound } from "../../core/errors.ts";
import type { Platform } from "../../core/platforms.ts";
import type { Results } from "../../db/client.ts";
import type { Ctx } from "../../deps.ts";
import { settingsOfTeam, zoneOfTeam } from "../settings/repo.ts";
import type { Branding } from "../teams/table.ts";
import {
  type Configured,
  hasTag,
  type Measured,
  toCompared,
  toMeasured,
  toOverview,
  toPost,
  toSamples,
} from "./overview.ts";
import * as repo from "./repo/read.ts";
import { hasAnalytics, requireAnalytics, requireOwn } from "./rules/access.ts";
import { add, type Counters, engagementIn, UNMEASURED } from "./rules/counters.ts";
import { type DayNumber, dayOf } from "./rules/days.ts";
import { type Bucket, postingGrid } from "./rules/insights.ts";
import { marksAt, OPEN_DAYS, type StoredPost } from "./rules/snapshots.ts";
import type { ShownPost } from "./rules/summary.ts";
import { joinThreads } from "./rules/threads.ts";
import { comparePeriods, followersByDay, gainsByDay } from "./rules/windows.ts";
import type { AnalyticsPost, Figures, Overview } from "./schema.ts";

export type { AnalyticsPost };
export const { planOf } = repo;
export { hasAnalytics, requireAnalytics };

export const PERIODS = [7, 30, 90, 365] as const;
export const SPLITS = ["none", "platform", "account"] as const;

export interface PeriodFilter {
  days: (typeof PERIODS)[number];
  split: (typeof SPLITS)[number];
  /** Empty for all, as the others. */
  account: string;
  platform: string;
  tag: string;
}

/** One value per day, null where not measured. */
export interface DayFigures {
  day: DayNumber;
  gains: Counters;
  engagement: number | null;
  followers: number | null;
}

export interface Line {
  /** Null where all accounts are drawn together. */
  platform: Platform | null;
  /** Of an account; else empty. */
  name: string;
  days: readonly DayFigures[];
}

export interface PeriodSums {
  views: number | null;
  engagement: number | null;
  followers: number | null;
  posts: number | null;
}

export interface AccountSums extends PeriodSums {
  id: string;
  name: string;
  platform: Platform;
}

export interface PlatformSums extends PeriodSums {
  platform: Platform;
  accounts: number;
}

export interface BestPost extends AnalyticsPost {
  counters: Counters;
  bestBy: "views" | "engagement";
}

/** Figures that may be added up. */
export interface Part {
  /** Of a platform that stands beside the others; else null. */
  platform: Platform | null;
  figures: Figures;
  changes: ReturnType<typeof comparePeriods>;
  days: readonly DayFigures[];
  lines: readonly Line[];
  /** Accounts without a line. */
  undrawn: number;
  accounts: readonly AccountSums[];
  platforms: readonly PlatformSums[];
  posts: readonly BestPost[];
  grid: readonly (readonly Bucket[])[];
}

export interface Period {
  filter: PeriodFilter;
  zone: string | null;
  branding: Branding | null;
  from: DayNumber;
  /** Not included. */
  to: DayNumber;
  accounts: readonly { id: string; name: string; platform: Platform; tags: string }[];
  chosen: number;
  parts: readonly Part[];
  overview: Overview;
}

export const periodReads = (team: SQL) =>
  [repo.planOf(team), settingsOfTeam({ team }), repo.measuredAccounts({ team })] as const;

/** @throws AppError FORBIDDEN by the plan */
export function periodOf(
  deps: Configured,
  [[plan], [settings], accounts]: Results<ReturnType<typeof periodReads>>,
  asked: Omit<Asked, "settings">,
): Period {
  requireAnalytics(deps, plan);
  return toPeriod(deps, accounts, { ...asked, settings });
}

/** @throws AppError FORBIDDEN by the plan */
export async function getPeriod(ctx: Ctx, filter: PeriodFilter): Promise<Period> {
  const rows = await ctx.read("analytics:read", periodReads(ctx.team));
  return periodOf(ctx, rows, { filter, now: ctx.now().getTime() });
}

/** @throws AppError FORBIDDEN by the plan or for another team's account; NOT_FOUND */
export async function getAccountPeriod(ctx: Ctx, id: string, days: PeriodFilter["days"]) {
  const [[plan], [settings], [found], [posts = []]] = await ctx.read("analytics:read", [
    repo.planOf(ctx.team),
    settingsOfTeam({ team: ctx.team }),
    repo.findMeasured({ team: ctx.team, id }),
    repo.postsOf({ team: ctx.team, id }),
  ]);
  requireAnalytics(ctx, plan);
  const account = requireOwn(found);
  const filter: PeriodFilter = { days, split: "none", account: id, platform: "", tag: "" };
  const known = joinThreads(posts);
  const period = toPeriod(ctx, [account], {
    filter,
    settings,
    now: ctx.now().getTime(),
    posts: known,
  });
  return { account, period, posts: known.map((post) => toPost(account, post)) };
}

/** @throws AppError FORBIDDEN by the plan or for another team's account; NOT_FOUND */
export async function getPostFigures(ctx: Ctx, id: string, postId: string) {
  const [[plan], [zone = null], [found], [posts = []]] = await ctx.read("analytics:read", [
    repo.planOf(ctx.team),
    zoneOfTeam({ team: ctx.team }),
    repo.findMeasured({ team: ctx.team, id }),
    repo.postsOf({ team: ctx.team, id }),
  ]);
  requireAnalytics(ctx, plan);
  const account = requireOwn(found);
  const chosen = posts.find((post) => post.id === postId);
  if (!chosen) throw notFound("Post");
  const { uploadId } = chosen;
  const thread = uploadId === null ? [chosen] : posts.filter((one) => one.uploadId === uploadId);
  const [joined = chosen] = joinThreads(thread);
  return {
    zone,
    account,
    post: toPost(account, joined),
    counters: joined.counters,
    parts: thread.length,
    readAt: new Date(Math.max(...thread.map(({ at }) => at))),
    days: historyOf(thread),
  };
}

/** What the thread had on each day of which single figures are kept. */
function historyOf(thread: readonly StoredPost[]) {
  const last = dayOf(Math.max(...thread.map(({ at }) => at)));
  const born = dayOf(Math.min(...thread.map(({ publishedAt }) => publishedAt)));
  const first = Math.max(born, last - OPEN_DAYS);
  return Array.from({ length: last - first + 1 }, (_, i) => {
    const day = first + i;
    const marks = thread.reduce<Counters>(
      (sum, post) => add(sum, marksAt(post, day) ?? UNMEASURED),
      UNMEASURED,
    );
    return { day, marks, engagement: engagementIn(marks) };
  });
}

interface Asked {
  filter: PeriodFilter;
  settings: Pick<Period, "zone" | "branding"> | undefined;
  /** In ms since 1970. */
  now: number;
  /** Null for yesterday. */
  lastDay?: DayNumber | null;
  /** All posts of a single account. */
  posts?: readonly ShownPost[];
}

export function toPeriod(
  deps: Configured,
  all: readonly repo.MeasuredAccount[],
  { filter, settings, now, lastDay = null, posts }: Asked,
): Period {
  const { zone = null, branding = null } = settings ?? {};
  const accounts = all.filter(
    (account) =>
      (filter.account === "" || account.id === filter.account) &&
      (filter.platform === "" || account.platform === filter.platform) &&
      hasTag(account, filter.tag),
  );
  const measured = toMeasured(deps, accounts, now);
  const timezone = zone ?? "UTC";
  const overview = toOverview(deps, accounts, { now, timezone, source: "all" }, measured);
  const apart = new Set(overview.apart.map(({ platform }) => platform));
  const to = lastDay === null ? dayOf(now) : lastDay + 1;
  const span = { from: to - filter.days, to };
  const part = (
    platform: Platform | null,
    figures: Figures,
    isIn: (platform: Platform) => boolean,
  ): Part =>
    toPart(
      accounts.filter((account) => isIn(account.platform)),
      measured.filter(({ account }) => isIn(account.platform)),
      { ...span, split: filter.split, platform, figures, timezone, posts },
    );
  return {
    ...{ filter, zone, branding },
    ...span,
    accounts: all.map(({ id, accountName, platform, tags }) => ({
      ...{ id, name: accountName, platform, tags },
    })),
    chosen: accounts.length,
    parts: [
      part(null, overview, (platform) => !apart.has(platform)),
      ...overview.apart.map((one) =>
        part(one.platform, one, (platform) => platform === one.platform),
      ),
    ],
    overview,
  };
}

interface Span {
  from: DayNumber;
  to: DayNumber;
}

interface PartOptions extends Span {
  split: PeriodFilter["split"];
  platform: Platform | null;
  figures: Figures;
  timezone: string;
  posts: readonly ShownPost[] | undefined;
}

function toPart(
  accounts: readonly repo.MeasuredAccount[],
  measured: readonly Measured[],
  { split, platform, figures, timezone, posts, ...span }: PartOptions,
): Part {
  const sums = (some: readonly Measured[]) => sumsOf(some, span);
  const accountSums = accounts.map(({ id, accountName, platform }) => ({
    ...{ id, name: accountName, platform },
    ...sums(measured.filter(({ account }) => account.id === id)),
  }));
  const platforms = [...new Set(accounts.map((account) => account.platform))].sort();
  const lines = split === "none" ? [] : linesOf(split, measured, accountSums, span);
  return {
    platform,
    figures,
    changes: comparePeriods(measured.map(toCompared), span.to, span.to - span.from),
    days: daysOf(measured, span),
    lines,
    undrawn: split === "account" ? accounts.length - lines.length : 0,
    accounts: accountSums.sort(byViews),
    platforms: platforms.map((platform) => ({
      platform,
      accounts: accounts.filter((account) => account.platform === platform).length,
      ...sums(measured.filter(({ account }) => account.platform === platform)),
    })),
    posts: bestPosts(measured, span, posts),
    grid: postingGrid(measured.flatMap(toSamples), timezone),
  };
}

function sumsOf(measured: readonly Measured[], { from, to }: Span): PeriodSums {
  const { views, engagement, followers, postsPublished } = comparePeriods(
    measured.map(toCompared),
    to,
    to - from,
  );
  return {
    views: views.current,
    engagement: engagement.current,
    followers: followers.total,
    posts: postsPublished.current,
  };
}

const byViews = (a: PeriodSums, b: PeriodSums): number =>
  (b.views ?? -1) - (a.views ?? -1) ||
  (b.engagement ?? -1) - (a.engagement ?? -1) ||
  (b.followers ?? -1) - (a.followers ?? -1);

const MAX_LINES = 6;

function linesOf(
  split: "platform" | "account",
  measured: readonly Measured[],
  accounts: readonly AccountSums[],
  span: Span,
): Line[] {
  if (split === "account") {
    const isMeasured = ({ id }: AccountSums) => measured.some(({ account }) => account.id === id);
    const shown = accounts.filter(isMeasured).sort(byViews).slice(0, MAX_LINES);
    return shown.map(({ id, name, platform }) => ({
      ...{ name, platform },
      days: daysOf(
        measured.filter(({ account }) => account.id === id),
        span,
      ),
    }));
  }
  const byPlatform = Map.groupBy(measured, ({ account }) => account.platform);
  return [...byPlatform]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([platform, some]) => ({
      ...{ name: "", platform },
      days: daysOf(some, span),
    }));
}

function daysOf(measured: readonly Measured[], { from, to }: Span): DayFigures[] {
  const all = measured.map(({ days }) => days);
  const gained = new Map(gainsByDay(all).map(({ day, gains }) => [day, gains]));
  const followed = new Map(followersByDay(all).map(({ day, followers }) => [day, followers]));
  return Array.from({ length: to - from }, (_, i) => {
    const day = from + i;
    const gains = gained.get(day) ?? UNMEASURED;
    return { day, gains, engagement: engagementIn(gains), followers: followed.get(day) ?? null };
  });
}

const MOST_VIEWED = 5;
const MOST_ENGAGING = 3;

/** The most viewed posts first, and then of the others the posts with the most engagement. */
function bestPosts(
  measured: readonly Measured[],
  { from, to }: Span,
  posts: readonly ShownPost[] | undefined,
): BestPost[] {
  const known = measured.flatMap(({ account, summary }) => {
    const { recent, mostViewed, mostEngaging } = summary;
    const all = posts ?? [...recent.mut, ...recent.external, mostViewed, mostEngaging];
    const byId = new Map(all.flatMap((post) => (post ? [[post.id, post] as const] : [])));
    return [...byId.values()]
      .filter(({ publishedAt }) => dayOf(publishedAt) >= from && dayOf(publishedAt) < to)
      .map((post) => ({ ...toPost(account, post), counters: post.counters }));
  });
  const viewed = known
    .filter(({ views }) => views > 0)
    .sort((a, b) => b.views - a.views || b.engagement - a.engagement)
    .slice(0, MOST_VIEWED);
  const engaging = known
    .filter((post) => post.engagement > 0 && !viewed.includes(post))
    .sort((a, b) => b.engagement - a.engagement)
    .slice(0, MOST_ENGAGING);
  return [
    ...viewed.map((post) => ({ ...post, bestBy: "views" as const })),
    ...engaging.map((post) => ({ ...post, bestBy: "engagement" as const })),
  ];
}
