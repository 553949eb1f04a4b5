import * as z from "zod";
import { enableDescriptions } from "../../http/describing.ts";
import { PLATFORMS } from "../../platforms/registry.ts";
import { readZone } from "../settings/rules.ts";

enableDescriptions();

export const SOURCES = ["mut", "external", "all"] as const;
export type Source = (typeof SOURCES)[number];

const platform = z.enum(PLATFORMS);
const count = z.number().int();
const rate = z.number();
const date = z.iso.date();

/** Bounds of the query. Spec is silent. */
const MAX_TAGS_CHARACTERS = 500;
const MAX_ZONE_CHARACTERS = 64;

const timezone = z
  .string()
  .transform((text, context) => {
    const zone = readZone(text);
    if (zone !== null) return zone;
    context.addIssue({ code: "custom", message: "must be an IANA zone such as Europe/Berlin" });
    return z.NEVER;
  })
  .default("UTC")
  .openapi({ type: "string", maxLength: MAX_ZONE_CHARACTERS, default: "UTC" })
  .describe("IANA zone in which `postingInsights` tells weekdays and hours.");

const source = z
  .enum(SOURCES, { error: `must be one of ${SOURCES.join(", ")}` })
  .default("all")
  .describe(
    "Which posts `videos` lists: `mut` those published through this service, `external` the others. Totals and summary always cover all.",
  );

export const accountAnalyticsQuery = z.object({ timezone, source });

export const overviewQuery = z.object({
  tags: z
    .string()
    .max(MAX_TAGS_CHARACTERS)
    .optional()
    .describe("Comma-separated: only accounts with one of these tags, in any case."),
  timezone,
  source,
});

export type OverviewQuery = z.output<typeof overviewQuery>;

const counters = {
  views: count,
  likes: count,
  comments: count,
  shares: count,
};

const postSchema = z
  .object({
    id: z.string().describe("The platform's own id."),
    accountId: z.string(),
    accountName: z.string(),
    platform,
    source: z.enum(["mut", "external"]),
    uploadId: count.nullable().describe("The upload that it was; null with source `external`."),
    title: z.string().describe("The beginning of its text."),
    url: z.string().nullable(),
    publishedAt: z.iso.datetime(),
    ...counters,
    engagement: count.describe("Likes, comments and shares together."),
  })
  .meta({ id: "AnalyticsPost" });

export type AnalyticsPost = z.infer<typeof postSchema>;

/** The gains of a day, or of several. */
const gains = {
  views: count.nullable(),
  likes: count.nullable(),
  comments: count.nullable(),
  shares: count.nullable(),
};

const change = {
  change: count.nullable(),
  changePct: rate.nullable().describe("Percent; null also where `previous` is 0."),
};

const summarySchema = z
  .object({
    windowDays: count,
    views: z.object({
      current: count.nullable(),
      previous: count.nullable(),
      ...change,
      measuredDays: z.object({ current: count, previous: count }),
    }),
    followers: z.object({
      total: count.nullable(),
      previous: count.nullable(),
      ...change,
    }),
    postsPublished: z.object({
      current: count.nullable(),
      previous: count.nullable(),
      change: count.nullable(),
    }),
  })
  .describe(
    "The last 30 complete UTC days, up to yesterday, and the 30 before. Views are gains. Null is not measured, never zero.",
  )
  .meta({ id: "AnalyticsSummary" });

const bucket = { posts: count, avgViews: rate, ranked: z.boolean() };
const weekday = z.object({ weekday: count.min(0).max(6), ...bucket }).meta({ id: "WeekdayViews" });
const hour = z.object({ hour: count.min(0).max(23), ...bucket }).meta({ id: "HourViews" });

const insightsSchema = z
  .object({
    timezone: z.string(),
    minSamples: count,
    sampleSize: count.describe("Posts whose views were measured."),
    byWeekday: z.array(weekday).describe("Seven entries; 0 is Sunday."),
    byHour: z.array(hour).describe("24 entries."),
    bestDay: z.union([weekday, z.null()]),
    bestHours: z.array(hour).describe("Up to three, the best first."),
  })
  .meta({ id: "PostingInsights" });

const days = z.array(z.object({ date, ...gains }));

const base = z.object({
  overview: z.object({
    totalViews: count,
    totalLikes: count,
    totalComments: count,
    totalShares: count,
    videoCount: count,
    accountCount: count,
    bestAccount: z.object({ name: z.string(), platform, views: count }).nullable(),
  }),
  videos: z.array(postSchema).describe("Posts, newest first."),
  bestPerforming: z.object({
    mostViewed: z.union([postSchema, z.null()]),
    mostEngaging: z
      .union([postSchema, z.null()])
      .describe("By likes, comments and shares together."),
  }),
  topHashtags: z
    .array(z.object({ tag: z.string(), posts: count, views: count, engagement: count }))
    .describe("Up to 20, those first whose posts were seen most; without the #."),
  dailyHistory: days.describe(
    "Gains of each UTC day on which an account was read, up to a year, oldest first. Null was not measured; the first day of an account gains nothing, as its counting begins there.",
  ),
  platformHistory: z
    .array(
      z.object({
        platform,
        accountCount: count,
        videoCount: count,
        ...counters,
        followers: count.nullable(),
        days,
      }),
    )
    .describe("The same by platform, with its totals."),
  summary: summarySchema,
  followerHistory: z.array(z.object({ date, followers: count })),
  lastRefreshedAt: z.iso.datetime().nullable(),
  neverSynced: z.boolean().describe("True while nothing was ever collected."),
  syncErrors: z
    .array(
      z.object({
        accountId: z.string(),
        accountName: z.string(),
        platform,
        message: z.string(),
        at: z.iso.datetime(),
      }),
    )
    .describe("What the last collection could not read; the rest was."),
  postingInsights: insightsSchema,
});

export const overviewSchema = base.meta({ id: "Analytics" });

export const accountAnalyticsSchema = base
  .extend({ tags: z.string().describe("The account's tags, comma-separated.") })
  .meta({ id: "AccountAnalytics" });

/** A LinkedIn post as `POST /upload` and `videos` name it. */
const LINKEDIN_POST = /^urn:li:(?:share|ugcPost|activity):\d{1,25}$/;

export const commentsQuery = z.object({
  postId: z
    .string()
    .regex(LINKEDIN_POST, { error: "must be a LinkedIn post such as urn:li:share:7123456789" })
    .describe("The post, as `videos` names it: `urn:li:share:…` or `urn:li:ugcPost:…`."),
});

export const commentsSchema = z
  .object({
    comments: z.array(
      z.object({
        author: z
          .string()
          .describe("LinkedIn's id of whoever wrote it; the account's name where the page did."),
        text: z.string(),
        createdAt: z.iso.datetime(),
      }),
    ),
  })
  .meta({ id: "LinkedInComments" });

export type Comments = z.infer<typeof commentsSchema>;

export type Overview = z.infer<typeof overviewSchema>;
export type AccountAnalytics = z.infer<typeof accountAnalyticsSchema>;
