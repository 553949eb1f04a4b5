import * as z from "zod";
import { derivedMetricsName } from "../../config.ts";
import { PLATFORMS } from "../../core/platforms.ts";
import { enableDescriptions } from "../../http/describing.ts";
import { connectors } from "../../platforms/registry.ts";
import { readZone } from "../settings/rules.ts";

enableDescriptions();

export const SOURCES = ["mut", "external", "all"] as const;
export type Source = (typeof SOURCES)[number];

const platform = z.enum(PLATFORMS);
const count = z.number().int();
const rate = z.number();
const date = z.iso.date();

/** Spec is silent. */
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
  .describe("IANA zone of the weekdays and hours in `postingInsights`.");

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
  views: count.describe("Views; 0 when the platform has no such figure, as Bluesky."),
  likes: count.describe(
    "Likes or reactions; 0 when the platform has no such figure, as Pinterest.",
  ),
  comments: count.describe(
    "Comments or replies; 0 when the platform has no such figure, as Pinterest.",
  ),
  shares: count.describe(
    "Shares, reposts and quotes, or saves at Pinterest; 0 when the platform has no such figure, as YouTube.",
  ),
};

export const postSchema = z
  .object({
    id: z.string().describe("The platform's own id."),
    accountId: z.string().describe("The account that it was published on."),
    accountName: z.string().describe("The account's name now."),
    platform: platform.describe("The platform of that account."),
    source: z
      .enum(["mut", "external"])
      .describe("`mut` when it was published through this service, `external` when it was found."),
    uploadId: count.nullable().describe("The id of its upload; null with source `external`."),
    title: z.string().describe("The beginning of its text."),
    url: z
      .string()
      .nullable()
      .describe("Its address at the platform; null when the platform gives none."),
    publishedAt: z.iso.datetime().describe("The time of publication, from the platform."),
    ...counters,
    engagement: count.describe("Likes, comments and shares together."),
  })
  .meta({ id: "AnalyticsPost" });

export type AnalyticsPost = z.infer<typeof postSchema>;

const gains = {
  views: count.nullable().describe("Views gained on that day; null when not measured."),
  likes: count.nullable().describe("Likes gained on that day; null when not measured."),
  comments: count.nullable().describe("Comments gained on that day; null when not measured."),
  shares: count.nullable().describe("Shares gained on that day; null when not measured."),
};

const change = {
  change: count.nullable().describe("Null unless both windows were measured."),
  changePct: rate.nullable().describe("Percent; null also where `previous` is 0."),
};

const summarySchema = z
  .object({
    windowDays: count.describe("Days of each window: 30."),
    views: z
      .object({
        current: count.nullable().describe("Views gained in the last 30 days."),
        previous: count.nullable().describe("Views gained in the 30 days before."),
        ...change,
        measuredDays: z
          .object({
            current: count.describe("Measured days among the last 30."),
            previous: count.describe("Measured days among the 30 before."),
          })
          .describe("Days on which views were measured."),
      })
      .describe("Views gained."),
    followers: z
      .object({
        total: count.nullable().describe("Followers of these accounts, as last measured."),
        previous: count
          .nullable()
          .describe("Followers 30 days ago of the accounts that were measured then too."),
        ...change,
      })
      .describe(
        "Followers. The change compares only accounts that were also measured 30 days earlier.",
      ),
    postsPublished: z
      .object({
        current: count.nullable().describe("Posts published in the last 30 days."),
        previous: count.nullable().describe("Posts published in the 30 days before."),
        change: count.nullable().describe("Null while nothing was collected."),
      })
      .describe("Posts published, through this service or elsewhere."),
  })
  .describe(
    "The last 30 complete UTC days, up to yesterday, and the 30 before. Views are gains. Null is not measured, never zero.",
  )
  .meta({ id: "AnalyticsSummary" });

const bucket = {
  posts: count.describe("Posts published then."),
  avgViews: rate.describe("Their average views, to two places; 0 without posts."),
  ranked: z
    .boolean()
    .describe("True with `minSamples` posts or more: only then can it be among the best."),
};
const weekday = z
  .object({ weekday: count.min(0).max(6).describe("0 is Sunday."), ...bucket })
  .meta({ id: "WeekdayViews" });
const hour = z
  .object({ hour: count.min(0).max(23).describe("Local hour in the zone."), ...bucket })
  .meta({ id: "HourViews" });

const insightsSchema = z
  .object({
    timezone: z.string().describe("The IANA zone of weekdays and hours."),
    minSamples: count.describe("Posts that a weekday or an hour needs to be ranked."),
    sampleSize: count.describe("Posts whose views were measured."),
    byWeekday: z.array(weekday).describe("Seven entries; 0 is Sunday."),
    byHour: z.array(hour).describe("24 entries."),
    bestDay: z
      .union([weekday, z.null()])
      .describe("The ranked weekday with the highest average; null when none is ranked."),
    bestHours: z.array(hour).describe("Up to three ranked hours, the best first."),
  })
  .describe("The weekdays and hours at which the most viewed posts were published.")
  .meta({ id: "PostingInsights" });

const days = z.array(z.object({ date: date.describe("The UTC day."), ...gains }));

const accountCount = count.describe(
  "Connected accounts, also those without figures so far. The counts by platform add up to the one in `overview`.",
);
const videoCount = count.describe("Known posts, from both sources: up to 1,000 of each account.");

const figures = {
  overview: z
    .object({
      totalViews: count.describe("Views of all known posts."),
      totalLikes: count.describe("Their likes."),
      totalComments: count.describe("Their comments."),
      totalShares: count.describe("Their shares."),
      videoCount,
      accountCount,
      bestAccount: z
        .object({
          name: z.string().describe("Its name."),
          platform: platform.describe("Its platform."),
          views: count.describe("The views of its posts."),
        })
        .nullable()
        .describe("The account whose posts have most views; null when none has any."),
    })
    .describe("The totals of these accounts."),
  bestPerforming: z
    .object({
      mostViewed: z
        .union([postSchema, z.null()])
        .describe("The post with most views; null when none has any."),
      mostEngaging: z
        .union([postSchema, z.null()])
        .describe(
          "The post with most likes, comments and shares together; null when none has any.",
        ),
    })
    .describe("The best posts of these accounts, from both sources."),
  topHashtags: z
    .array(
      z.object({
        tag: z.string().describe("Lower case, without the #."),
        posts: count.describe("Posts that have it."),
        views: count.describe("Their views."),
        engagement: count.describe("Their likes, comments and shares together."),
      }),
    )
    .describe("Up to 20 hashtags without the #. The one whose posts have most views comes first."),
  dailyHistory: days.describe(
    "Gains of each UTC day on which an account was read, up to a year, oldest first. Null: not measured. An account's first day has the gains between its readings; counting begins with the first.",
  ),
  summary: summarySchema,
  followerHistory: z
    .array(
      z.object({
        date: date.describe("The UTC day."),
        followers: count.describe(
          "Followers of these accounts. An account that was not read on a day counts with its last figure of the week before.",
        ),
      }),
    )
    .describe(
      "Followers on each UTC day on which some were measured, up to a year, oldest first. At YouTube these are subscribers, at LinkedIn the page's followers.",
    ),
  postingInsights: insightsSchema,
};

const figuresSchema = z.object(figures);

export type Figures = z.infer<typeof figuresSchema>;

const kept = connectors().filter(({ metrics }) => metrics?.isKeptApart);
const KEPT_APART = kept.map(({ name }) => name).join(" and ");
const IN_THE_SUMS = kept.map(({ platform }) => derivedMetricsName(platform)).join(" or ");

const apart = z
  .array(
    figuresSchema
      .extend({ platform: platform.describe("The platform that the figures are of.") })
      .meta({ id: "AnalyticsApart" }),
  )
  .describe(
    `Extension: the figures of ${KEPT_APART}, whose terms forbid to combine them with other platforms'. They stand here, in \`platformHistory\` and in \`videos\`. The other sums, averages, comparisons and best posts of the answer are without them; \`accountCount\` alone counts these accounts too. Empty when all accounts are on one platform, and while the instance sets ${IN_THE_SUMS}: then the sums have everything.`,
  );

const base = z.object({
  ...figures,
  overview: figures.overview.describe("The totals of all accounts but those in `apart`."),
  videos: z.array(postSchema).describe("Posts, newest first."),
  platformHistory: z
    .array(
      z.object({
        platform: platform.describe("A platform with a connected account."),
        accountCount,
        videoCount,
        ...counters,
        followers: count
          .nullable()
          .describe("Followers of its accounts, as last measured; null when not measured."),
        days: days.describe("Gains by day, in the form of `dailyHistory`."),
      }),
    )
    .describe("The gains by platform, with its totals. No platform is left out."),
  apart,
  lastRefreshedAt: z.iso
    .datetime()
    .nullable()
    .describe(
      "The last time that figures were collected from any of the accounts; null before the first time.",
    ),
  neverSynced: z.boolean().describe("True until figures are collected for the first time."),
  syncErrors: z
    .array(
      z.object({
        accountId: z.string().describe("The account."),
        accountName: z.string().describe("Its name."),
        platform: platform.describe("Its platform."),
        message: z.string().describe("The part that could not be read, and the reason."),
        at: z.iso.datetime().describe("Time of that try."),
      }),
    )
    .describe(
      "Parts that the last collection could not read; it read the rest. An account whose login has ended stays in the list until it is connected again.",
    ),
});

export const overviewSchema = base.meta({ id: "Analytics" });

export const accountAnalyticsSchema = base
  .extend({ tags: z.string().describe("The account's tags, comma-separated.") })
  .meta({ id: "AccountAnalytics" });

const readers = connectors().flatMap(({ extras }) => extras?.comments ?? []);
const POST_ID = new RegExp(readers.map(({ postId }) => postId.source).join("|"));

export const commentsQuery = z.object({
  postId: z
    .string()
    .regex(POST_ID, { error: `must be ${readers.map(({ example }) => example).join(", or ")}` })
    .describe(
      `The post, as \`videos\` names it: ${readers.map(({ written }) => written).join(", or ")}.`,
    ),
});

export const commentsSchema = z
  .object({
    comments: z
      .array(
        z.object({
          author: z
            .string()
            .describe(
              "LinkedIn's id of the author; the account's name when the page itself wrote it.",
            ),
          text: z.string().describe("The text of the comment."),
          createdAt: z.iso.datetime().describe("The time of the comment."),
        }),
      )
      .describe("Up to 1,000 comments, in LinkedIn's order."),
  })
  .meta({ id: "LinkedInComments" });

export type Comments = z.infer<typeof commentsSchema>;

export type Overview = z.infer<typeof overviewSchema>;
export type AccountAnalytics = z.infer<typeof accountAnalyticsSchema>;
