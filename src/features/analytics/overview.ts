import type { Platform } from "../../core/platforms.ts";
import { MINUTE } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { loginRefusal } from "../accounts/rules.ts";
import type { MeasuredAccount } from "./repo/read.ts";
import { keptSeries, platformsApart } from "./rules/apart.ts";
import { add, type Counters, countOf, engagementOf, METRICS } from "./rules/counters.ts";
import { type DayNumber, dayOf, toDate } from "./rules/days.ts";
import { postingInsights, type Sample } from "./rules/insights.ts";
import type { DayRow } from "./rules/series.ts";
import { best, type ShownPost, type Summary, topHashtags } from "./rules/summary.ts";
import { compareWindows, followersByDay, gainsByDay } from "./rules/windows.ts";
import type { AnalyticsPost, Figures, Overview, Source } from "./schema.ts";
import { unpackSeries } from "./stored.ts";

/** Spec is silent. */
const HISTORY_DAYS = 365;
/** An account keeps 1,000. Spec is silent. */
const MAX_POSTS = 1_000;
/** Spec is silent. */
const TOP_HASHTAGS = 20;

interface OverviewOptions {
  /** In ms since 1970. */
  now: number;
  timezone: string;
  source: Source;
  /** All posts of a single account. If absent, each account's newest are listed. */
  posts?: readonly ShownPost[];
}

export interface Measured {
  account: MeasuredAccount;
  summary: Summary;
  days: readonly DayRow[];
  /** Minutes since 1970, ascending. */
  minutes: readonly number[];
}

export type Configured = Pick<Deps, "config">;

export function toOverview(
  deps: Configured,
  accounts: readonly MeasuredAccount[],
  { now, timezone, source, posts }: OverviewOptions,
  measured: readonly Measured[] = toMeasured(deps, accounts, now),
): Overview {
  const today = dayOf(now);
  const platforms = new Set(accounts.map(({ platform }) => platform));
  const apart = platformsApart(deps, platforms);
  const on = (isWanted: (platform: Platform) => boolean): Measured[] =>
    measured.filter(({ account }) => isWanted(account.platform));
  const { overview, ...together } = figuresOf(
    on((platform) => !apart.includes(platform)),
    { today, timezone, accountCount: accounts.length },
  );
  return {
    overview,
    videos: listPosts(measured, source, posts),
    ...together,
    apart: apart.map((platform) => ({
      platform,
      ...figuresOf(
        on((one) => one === platform),
        { today, timezone, accountCount: countOn(accounts, platform) },
      ),
    })),
    platformHistory: [...platforms].sort().map((platform) =>
      platformFigures(
        on((one) => one === platform),
        { platform, accountCount: countOn(accounts, platform), today },
      ),
    ),
    lastRefreshedAt: lastRefresh(accounts),
    neverSynced: accounts.every(({ syncedAt }) => syncedAt === null),
    syncErrors: accounts.flatMap((account) => toSyncErrors(account, now)),
  };
}

const countOn = (accounts: readonly MeasuredAccount[], platform: Platform): number =>
  accounts.filter((account) => account.platform === platform).length;

interface FiguresOptions {
  today: DayNumber;
  timezone: string;
  accountCount: number;
}

function figuresOf(
  measured: readonly Measured[],
  { today, timezone, accountCount }: FiguresOptions,
): Figures {
  const summaries = measured.map(({ summary }) => summary);
  const totals = totalsOf(summaries);
  const recent = measured.map(({ days }) => recentDays(days, today));
  const shown = (pick: (summary: Summary) => ShownPost | null) =>
    measured.flatMap(({ account, summary }) => {
      const post = pick(summary);
      return post ? [toPost(account, post)] : [];
    });
  return {
    overview: {
      totalViews: totals.views,
      totalLikes: totals.likes,
      totalComments: totals.comments,
      totalShares: totals.shares,
      videoCount: countPosts(summaries),
      accountCount,
      bestAccount: bestAccount(measured),
    },
    bestPerforming: {
      mostViewed: best(
        shown(({ mostViewed }) => mostViewed),
        ({ views }) => views,
      ),
      mostEngaging: best(
        shown(({ mostEngaging }) => mostEngaging),
        ({ engagement }) => engagement,
      ),
    },
    topHashtags: topHashtags(
      summaries.flatMap(({ hashtags }) => hashtags),
      TOP_HASHTAGS,
    ),
    dailyHistory: toHistory(recent),
    summary: compareWindows(measured.map(toCompared), today),
    followerHistory: followersByDay(recent).map(({ day, followers }) => ({
      date: toDate(day),
      followers,
    })),
    postingInsights: postingInsights(measured.flatMap(toSamples), timezone),
  };
}

export const toCompared = ({ days, minutes }: Measured) => ({
  days,
  published: minutes.map((minute) => dayOf(minute * MINUTE)),
});

const recentDays = (days: readonly DayRow[], today: DayNumber): DayRow[] =>
  days.filter(({ day }) => day > today - HISTORY_DAYS);

export const toMeasured = (
  deps: Configured,
  accounts: readonly MeasuredAccount[],
  now: number,
): Measured[] => accounts.flatMap((account) => measuredOf(deps, account, now));

function measuredOf(deps: Configured, account: MeasuredAccount, now: number): Measured[] {
  const { platform, series, summary, syncedAt } = account;
  if (!series || !summary || !syncedAt) return [];
  let minute = 0;
  const minutes = summary.publishedAfter.map((after) => {
    minute += after;
    return minute;
  });
  const { days } = keptSeries(deps, { platform, series: unpackSeries(series), now });
  return [{ account, summary, days, minutes }];
}

export const toSamples = ({ minutes, summary }: Measured): Sample[] =>
  minutes.flatMap((minute, i): Sample[] => {
    const views = summary.views[i] ?? null;
    return views === null ? [] : [[minute, views]];
  });

type Named = Record<(typeof METRICS)[number], number>;

const toNamed = (counters: Counters): Named => ({
  views: countOf(counters, "views"),
  likes: countOf(counters, "likes"),
  comments: countOf(counters, "comments"),
  shares: countOf(counters, "shares"),
});

const totalsOf = (summaries: readonly Summary[]): Named =>
  toNamed(
    summaries.reduce<Counters>(
      (sum, { totals }) => add(sum, totals),
      METRICS.map(() => 0),
    ),
  );

const countPosts = (summaries: readonly Summary[]): number =>
  summaries.reduce((sum, { posts }) => sum + posts, 0);

function bestAccount(measured: readonly Measured[]): Overview["overview"]["bestAccount"] {
  const found = best(measured, ({ summary }) => countOf(summary.totals, "views"));
  if (!found) return null;
  const { account, summary } = found;
  return {
    name: account.accountName,
    platform: account.platform,
    views: countOf(summary.totals, "views"),
  };
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

function listPosts(
  measured: readonly Measured[],
  source: Source,
  posts: readonly ShownPost[] | undefined,
): AnalyticsPost[] {
  const all = measured.flatMap(({ account, summary }) =>
    (posts ?? [...summary.recent.mut, ...summary.recent.external]).map((post) =>
      toPost(account, post),
    ),
  );
  return all
    .filter((post) => source === "all" || post.source === source)
    .sort((a, b) => compare(b.publishedAt, a.publishedAt) || compare(a.id, b.id))
    .slice(0, MAX_POSTS);
}

export const toPost = (account: MeasuredAccount, post: ShownPost): AnalyticsPost => ({
  id: post.id,
  accountId: account.id,
  accountName: account.accountName,
  platform: account.platform,
  source: post.uploadId === null ? "external" : "mut",
  uploadId: post.uploadId,
  title: post.text,
  url: post.url,
  publishedAt: new Date(post.publishedAt).toISOString(),
  ...toNamed(post.counters),
  engagement: engagementOf(post.counters),
});

const toHistory = (accounts: readonly (readonly DayRow[])[]): Overview["dailyHistory"] =>
  gainsByDay(accounts).map(({ day, gains }) => ({
    date: toDate(day),
    views: gains[0] ?? null,
    likes: gains[1] ?? null,
    comments: gains[2] ?? null,
    shares: gains[3] ?? null,
  }));

interface PlatformOptions {
  platform: Platform;
  accountCount: number;
  today: DayNumber;
}

function platformFigures(
  measured: readonly Measured[],
  { platform, accountCount, today }: PlatformOptions,
): Overview["platformHistory"][number] {
  const summaries = measured.map(({ summary }) => summary);
  return {
    platform,
    accountCount,
    videoCount: countPosts(summaries),
    ...totalsOf(summaries),
    followers: compareWindows(
      measured.map(({ days }) => ({ days, published: [] })),
      today,
    ).followers.total,
    days: toHistory(measured.map(({ days }) => recentDays(days, today))),
  };
}

function lastRefresh(accounts: readonly MeasuredAccount[]): string | null {
  const times = accounts.flatMap(({ syncedAt }) => syncedAt ?? []);
  if (times.length === 0) return null;
  return new Date(Math.max(...times.map((at) => at.getTime()))).toISOString();
}

function toSyncErrors(account: MeasuredAccount, now: number): Overview["syncErrors"] {
  const { id: accountId, accountName, platform, errors } = account;
  const ended = loginRefusal(account);
  const all = errors?.length ? errors : ended ? [{ message: ended, at: now }] : [];
  return all.map(({ message, at }) => ({
    accountId,
    accountName,
    platform,
    message,
    at: new Date(at).toISOString(),
  }));
}

export function hasTag({ tags }: Pick<MeasuredAccount, "tags">, tag: string | undefined) {
  const wanted = toTags(tag ?? "");
  if (wanted.length === 0) return true;
  const own = toTags(tags);
  return wanted.some((tag) => own.includes(tag));
}

const toTags = (text: string): string[] =>
  text
    .split(",")
    .map((tag) => tag.trim().toLowerCase())
    .filter(Boolean);
