import { MINUTE } from "../../core/time.ts";
import { loginRefusal } from "../accounts/rules.ts";
import type { MeasuredAccount } from "./repo/read.ts";
import { add, type Counters, countOf, engagementOf, METRICS } from "./rules/counters.ts";
import { dayOf, toDate } from "./rules/days.ts";
import { postingInsights, type Sample } from "./rules/insights.ts";
import type { DayRow } from "./rules/series.ts";
import { best, type ShownPost, type Summary, topHashtags } from "./rules/summary.ts";
import { compareWindows, followersByDay, gainsByDay } from "./rules/windows.ts";
import type { AnalyticsPost, Overview, Source } from "./schema.ts";
import { unpackSeries } from "./stored.ts";

/** Spec is silent on the length. */
const HISTORY_DAYS = 365;
/** Spec is silent on the number; an account keeps 1,000. */
const MAX_POSTS = 1_000;
/** Spec is silent on the number. */
const TOP_HASHTAGS = 20;

interface OverviewOptions {
  /** In ms since 1970. */
  now: number;
  timezone: string;
  source: Source;
  /** All posts of a single account. If absent, the newest of each account are listed. */
  posts?: readonly ShownPost[];
}

interface Measured {
  account: MeasuredAccount;
  summary: Summary;
  days: readonly DayRow[];
  /** Publication times in minutes since 1970, ascending. */
  minutes: readonly number[];
}

export function toOverview(
  accounts: readonly MeasuredAccount[],
  { now, timezone, source, posts }: OverviewOptions,
): Overview {
  const today = dayOf(now);
  const measured = accounts.flatMap(toMeasured);
  const summaries = measured.map(({ summary }) => summary);
  const totals = totalsOf(summaries);
  const recent = measured.map(({ days }) => days.filter(({ day }) => day > today - HISTORY_DAYS));
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
      accountCount: accounts.length,
      bestAccount: bestAccount(measured),
    },
    videos: listPosts(measured, source, posts),
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
    platformHistory: byPlatform(accounts, measured, today),
    summary: compareWindows(
      measured.map(({ days, minutes }) => ({
        days,
        published: minutes.map((minute) => dayOf(minute * MINUTE)),
      })),
      today,
    ),
    followerHistory: followersByDay(recent).map(({ day, followers }) => ({
      date: toDate(day),
      followers,
    })),
    lastRefreshedAt: lastRefresh(accounts),
    neverSynced: accounts.every(({ syncedAt }) => syncedAt === null),
    syncErrors: accounts.flatMap((account) => toSyncErrors(account, now)),
    postingInsights: postingInsights(measured.flatMap(toSamples), timezone),
  };
}

function toMeasured(account: MeasuredAccount): Measured[] {
  const { series, summary, syncedAt } = account;
  if (!series || !summary || !syncedAt) return [];
  let minute = 0;
  const minutes = summary.publishedAfter.map((after) => {
    minute += after;
    return minute;
  });
  return [{ account, summary, days: unpackSeries(series).days, minutes }];
}

const toSamples = ({ minutes, summary }: Measured): Sample[] =>
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

const toPost = (account: MeasuredAccount, post: ShownPost): AnalyticsPost => ({
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

function byPlatform(
  accounts: readonly MeasuredAccount[],
  measured: readonly Measured[],
  today: number,
): Overview["platformHistory"] {
  const platforms = [...new Set(accounts.map(({ platform }) => platform))].sort();
  return platforms.map((platform) => {
    const accountCount = accounts.filter((account) => account.platform === platform).length;
    const own = measured.filter(({ account }) => account.platform === platform);
    const summaries = own.map(({ summary }) => summary);
    const days = own.map((one) => one.days.filter(({ day }) => day > today - HISTORY_DAYS));
    return {
      platform,
      accountCount,
      videoCount: countPosts(summaries),
      ...totalsOf(summaries),
      followers: compareWindows(
        own.map((one) => ({ days: one.days, published: [] })),
        today,
      ).followers.total,
      days: toHistory(days),
    };
  });
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
