import * as z from "zod";
import { PLATFORM_ABSENT } from "../../http/answers.ts";
import { idParams } from "../../http/ids.ts";
import { apiRoute, conflict, createRouter, NOT_FOUND, success } from "../../http/route.ts";
import type { AudienceStats } from "../../platforms/extras.ts";
import { findMentions } from "./find-mentions.ts";
import { mentionedSchema, mentionQuery } from "./schema.ts";
import * as extras from "./service.ts";

export const accountExtraRoutes = createRouter();

const accountId = z
  .string({ error: "is required; send the id of a connected account" })
  .trim()
  .min(1, "is required; send the id of a connected account")
  .max(100)
  .describe("A connected account of that platform.");

const oneAccount = z.object({ accountId });

const REFUSALS = {
  ...NOT_FOUND,
  ...conflict("ACCOUNT_INACTIVE: reconnect the account first."),
  ...PLATFORM_ABSENT,
};

const pageSchema = z.object({ id: z.string(), name: z.string() }).meta({ id: "LinkedInPage" });

const pages = apiRoute({
  method: "get",
  path: "/accounts/linkedin/pages",
  tags: ["Accounts"],
  operationId: "listLinkedInPages",
  summary: "List LinkedIn pages",
  description:
    "The organization pages that an account can publish to. Without accountId: the pages of all active LinkedIn accounts.",
  scope: "accounts:read",
  limit: "read:accounts",
  request: { query: z.object({ accountId: accountId.optional() }) },
  responses: {
    ...success(
      { data: z.array(pageSchema) },
      "The pages. To connect one, send its `id` as pageId.",
    ),
    ...REFUSALS,
  },
});
accountExtraRoutes.openapi(pages, async (c) => {
  const data = await extras.listPages(c.var.ctx, c.req.valid("query").accountId);
  return c.json({ success: true as const, data }, 200);
});

const boardSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    privacy: z.enum(["PUBLIC", "SECRET"]),
  })
  .meta({ id: "PinterestBoard" });

const boards = apiRoute({
  method: "get",
  path: "/pinterest/boards",
  tags: ["Accounts"],
  operationId: "listPinterestBoards",
  summary: "List Pinterest boards",
  scope: "accounts:read",
  limit: "read:accounts",
  request: { query: oneAccount },
  responses: {
    ...success(
      { data: z.array(boardSchema) },
      "The account's boards. To pin to one, send its `id` as pinterest_board_id.",
    ),
    ...REFUSALS,
  },
});
accountExtraRoutes.openapi(boards, async (c) => {
  const data = await extras.listBoards(c.var.ctx, c.req.valid("query").accountId);
  return c.json({ success: true as const, data }, 200);
});

const statsSchema = z
  .object({
    follower_count: z.number().int(),
    following_count: z.number().int(),
    likes_count: z.number().int(),
    video_count: z.number().int(),
  })
  .meta({ id: "TikTokStats" });

const toStats = (stats: AudienceStats): z.infer<typeof statsSchema> => ({
  follower_count: stats.followerCount,
  following_count: stats.followingCount,
  likes_count: stats.likesCount,
  video_count: stats.videoCount,
});

const stats = apiRoute({
  method: "get",
  path: "/tiktok/stats",
  tags: ["Accounts"],
  operationId: "getTikTokStats",
  summary: "Read a TikTok account's figures",
  scope: "accounts:read",
  limit: "read:accounts",
  request: { query: oneAccount },
  responses: {
    ...success({ data: statsSchema }, "TikTok's current figures."),
    ...REFUSALS,
  },
});
accountExtraRoutes.openapi(stats, async (c) => {
  const audience = await extras.readStats(c.var.ctx, c.req.valid("query").accountId);
  return c.json({ success: true as const, data: toStats(audience) }, 200);
});

const creatorSchema = z
  .object({
    username: z.string().nullable(),
    nickname: z.string().nullable(),
    avatarUrl: z.string().nullable().describe("An address of TikTok; it ends after two hours."),
    privacyLevels: z.array(z.string()).describe("What privacy_level may be for this account."),
    commentDisabled: z.boolean(),
    duetDisabled: z.boolean(),
    stitchDisabled: z.boolean(),
    maxVideoSeconds: z.number().nullable(),
  })
  .meta({ id: "TikTokCreator" });

const creator = apiRoute({
  method: "get",
  path: "/tiktok/creator",
  tags: ["Accounts", "Extensions"],
  operationId: "getTikTokCreator",
  summary: "Read what a TikTok account may choose for a post",
  description:
    "TikTok wants this shown before every post: as whom it is published, who may see it, and what others may do with it.",
  scope: "accounts:read",
  limit: "read:accounts",
  request: { query: oneAccount },
  responses: {
    ...success({ data: creatorSchema }, "TikTok's present answer."),
    ...REFUSALS,
  },
});
accountExtraRoutes.openapi(creator, async (c) => {
  const { privacyLevels, ...data } = await extras.readCreator(
    c.var.ctx,
    c.req.valid("query").accountId,
  );
  return c.json(
    { success: true as const, data: { ...data, privacyLevels: [...privacyLevels] } },
    200,
  );
});

const mentions = apiRoute({
  method: "get",
  path: "/accounts/{id}/mentions",
  tags: ["Accounts", "Extensions"],
  operationId: "findMentions",
  summary: "Find accounts to mention",
  description:
    "Finds accounts that a post of this account can mention, by the look-up of its platform: Bluesky, Mastodon and X search by name, LinkedIn finds one page by the name in its address. X charges for each account that it finds, at most 5. Accounts of other platforms are refused (400) with the way in which their mentions are written.",
  scope: "accounts:read",
  limit: "read:mentions",
  request: { params: idParams, query: z.object({ query: mentionQuery }) },
  responses: {
    ...success({ mentions: z.array(mentionedSchema) }, "What the platform found."),
    ...REFUSALS,
  },
});
accountExtraRoutes.openapi(mentions, async (c) => {
  const { id } = c.req.valid("param");
  const found = await findMentions(c.var.ctx, id, c.req.valid("query").query);
  return c.json({ success: true as const, mentions: found }, 200);
});
