import * as z from "zod";
import { PLATFORM_ABSENT } from "../../http/answers.ts";
import { apiRoute, conflict, createRouter, NOT_FOUND, success } from "../../http/route.ts";
import { listComments } from "./comments.ts";
import {
  accountAnalyticsQuery,
  accountAnalyticsSchema,
  commentsQuery,
  commentsSchema,
  overviewQuery,
  overviewSchema,
  postSchema,
} from "./schema.ts";
import * as analytics from "./service.ts";
import { syncAccount } from "./sync.ts";

export const analyticsRoutes = createRouter();

const accountParams = z.object({
  connectedAccountId: z.string().describe("The id, as the service gave it out."),
});

const FIGURES =
  "The figures come from the last collection, at 03:00 UTC or by a sync: see `lastRefreshedAt`. A metric that a platform does not give is 0 in totals and posts, and null in histories and summary. Figures that a platform's terms forbid to combine with others stand in `apart`. The team's plan has to include analytics.";

const overview = apiRoute({
  method: "get",
  path: "/analytics/overview",
  tags: ["Analytics"],
  operationId: "getAnalyticsOverview",
  summary: "Read the figures of the team's posts",
  description: `${FIGURES} \`videos\` lists the 25 newest posts of each source of every account.`,
  scope: "analytics:read",
  limit: "analytics",
  request: { query: overviewQuery },
  csv: { at: "data.videos", item: postSchema },
  responses: success({ data: overviewSchema }, "The figures."),
});
analyticsRoutes.openapi(overview, async (c) => {
  const data = await analytics.getOverview(c.var.ctx, c.req.valid("query"));
  return c.json({ success: true as const, data }, 200);
});

const account = apiRoute({
  method: "get",
  path: "/analytics/{connectedAccountId}",
  tags: ["Analytics"],
  operationId: "getAccountAnalytics",
  summary: "Read the figures of an account's posts",
  description: `${FIGURES} \`videos\` lists up to 1,000 posts.`,
  scope: "analytics:read",
  limit: "analytics",
  request: { params: accountParams, query: accountAnalyticsQuery },
  csv: { at: "data.videos", item: postSchema },
  responses: { ...success({ data: accountAnalyticsSchema }, "The figures."), ...NOT_FOUND },
});
analyticsRoutes.openapi(account, async (c) => {
  const { connectedAccountId } = c.req.valid("param");
  const data = await analytics.getAccountAnalytics(
    c.var.ctx,
    connectedAccountId,
    c.req.valid("query"),
  );
  return c.json({ success: true as const, data }, 200);
});

const sync = apiRoute({
  method: "post",
  path: "/analytics/{connectedAccountId}/sync",
  tags: ["Analytics"],
  operationId: "syncAccountAnalytics",
  summary: "Collect the figures of an account's posts now",
  description:
    "Reads up to the 1,000 newest posts at the platform, stores their figures, and answers them. `syncErrors` lists parts that could not be read. Posts beyond the limit of one call are read in the next minutes; `syncErrors` says so too. X is read once a day. A `MEMBER` gets 403.",
  scope: "analytics:read",
  limit: "analytics",
  request: { params: accountParams, query: accountAnalyticsQuery },
  responses: {
    ...success({ data: accountAnalyticsSchema }, "The refreshed figures."),
    ...NOT_FOUND,
    ...conflict("ACCOUNT_INACTIVE: reconnect the account first."),
  },
});
analyticsRoutes.openapi(sync, async (c) => {
  const { connectedAccountId } = c.req.valid("param");
  const data = await syncAccount(c.var.ctx, connectedAccountId, c.req.valid("query"));
  return c.json({ success: true as const, data }, 200);
});

const comments = apiRoute({
  method: "get",
  path: "/analytics/{connectedAccountId}/linkedin/comments",
  tags: ["Analytics"],
  operationId: "listLinkedInComments",
  summary: "Read the comments on a post of a LinkedIn page",
  description:
    "Asks LinkedIn now, and answers up to 1,000 comments. An account that is not a LinkedIn page gets 400. The team's plan has to have analytics.",
  scope: "analytics:read",
  limit: "analytics",
  request: { params: accountParams, query: commentsQuery },
  responses: {
    ...success({ data: commentsSchema }, "The comments."),
    ...NOT_FOUND,
    ...conflict("ACCOUNT_INACTIVE: reconnect the account first."),
    ...PLATFORM_ABSENT,
  },
});
analyticsRoutes.openapi(comments, async (c) => {
  const { connectedAccountId } = c.req.valid("param");
  const { postId } = c.req.valid("query");
  const data = await listComments(c.var.ctx, connectedAccountId, postId);
  return c.json({ success: true as const, data }, 200);
});
