import type { Schemas } from "../client/index.ts";
import type { Account } from "./api.ts";
import { formatTable } from "./table.ts";

type Analytics = Schemas["Analytics"];

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const SHOWN_HASHTAGS = 5;

const orDash = (value: number | null): string => (value === null ? "–" : String(value));
const signed = (value: number | null): string =>
  value !== null && value > 0 ? `+${value}` : orDash(value);

const dayOf = ({ bestDay }: Analytics["postingInsights"]): string =>
  bestDay ? (WEEKDAYS[bestDay.weekday] ?? "–") : "–";
const hoursOf = ({ bestHours }: Analytics["postingInsights"]): string =>
  bestHours.map(({ hour }) => `${hour}h`).join(" ") || "–";

export function formatAnalytics(
  overview: Analytics,
  accounts: readonly Account[],
  each: readonly Analytics[],
): string {
  const rows = each.map((data, index) =>
    toRow(accounts[index]?.platform ?? "", data, byHandOf(data)),
  );
  const isApart = (index: number) =>
    overview.apart.some(({ platform }) => platform === accounts[index]?.platform);
  const byHand = each.reduce((sum, data, index) => sum + (isApart(index) ? 0 : byHandOf(data)), 0);
  rows.sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));
  const apart = overview.apart.map(({ platform }) => platform);
  return [
    formatTable(HEAD, [...rows, toRow(apart.length > 0 ? "sum" : "all", overview, byHand)]),
    ...(apart.length > 0
      ? [
          `The sum is without ${apart.join(" and ")}, whose terms forbid to add its figures to others'.`,
        ]
      : []),
    "",
    describeHashtags(overview),
    describeBest(overview),
    ...overview.syncErrors.map(({ platform, message }) => `${platform}: ${message}`),
  ].join("\n");
}

const HEAD = [
  "Platform",
  "Posts",
  "By hand",
  "Views",
  "Last 30 days",
  "Likes",
  "Comments",
  "Shares",
  "Followers",
  "Change",
  "Best day",
  "Best hours (UTC)",
];

const byHandOf = ({ videos }: Analytics): number =>
  videos.filter(({ source }) => source === "external").length;

function toRow(name: string, data: Analytics, byHand: number): string[] {
  const { overview, summary, postingInsights } = data;
  return [
    name,
    String(overview.videoCount),
    String(byHand),
    String(overview.totalViews),
    orDash(summary.views.current),
    String(overview.totalLikes),
    String(overview.totalComments),
    String(overview.totalShares),
    orDash(summary.followers.total),
    signed(summary.followers.change),
    dayOf(postingInsights),
    hoursOf(postingInsights),
  ];
}

function describeHashtags({ topHashtags }: Analytics): string {
  const shown = topHashtags.slice(0, SHOWN_HASHTAGS);
  const list = shown.map(({ tag, posts, views }) => `#${tag} (${views} views, ${posts} posts)`);
  return `Top hashtags: ${list.join(", ") || "none"}`;
}

function describeBest({ bestPerforming: { mostViewed } }: Analytics): string {
  if (!mostViewed) return "No post was seen yet.";
  const { platform, title, views, publishedAt } = mostViewed;
  return `Most viewed: ${platform}, ${publishedAt.slice(0, 10)}, ${views} views: ${title}`;
}
