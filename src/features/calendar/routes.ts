import * as z from "zod";
import { publicOrigin } from "../../http/env.ts";
import { idParams, readNumericId } from "../../http/ids.ts";
import { apiRoute, conflict, createRouter, json, NOT_FOUND, success } from "../../http/route.ts";
import { createFeed, endFeed, listFeeds } from "./feeds.ts";
import {
  calendarQuerySchema,
  calendarSchema,
  feedListSchema,
  newFeedSchema,
  toCalendarAnswer,
  toFeed,
} from "./schema.ts";
import { readCalendar } from "./service.ts";

export const calendarRoutes = createRouter();

const tags = ["Calendar", "Extensions"];

const read = apiRoute({
  method: "get",
  path: "/calendar",
  tags,
  operationId: "readCalendar",
  summary: "Read the calendar",
  description:
    "Posts of every state in their place, and the firings of pools that are to come, which need `pools:read` too. Drafts stand in it once they have a date. Up to 2,000 entries; `narrow` then names the days that are left out.",
  scope: "posts:read",
  limit: "read:calendar",
  request: { query: calendarQuerySchema },
  responses: json(calendarSchema, "The entries."),
});
calendarRoutes.openapi(read, async (c) => {
  const { ctx } = c.var;
  const { account: accountId, ...query } = c.req.valid("query");
  const calendar = await readCalendar(ctx, { ...query, accountId });
  const answer = await toCalendarAnswer(ctx, publicOrigin(ctx, c.req.url), calendar);
  return c.json({ success: true as const, ...answer }, 200);
});

const list = apiRoute({
  method: "get",
  path: "/calendar/feeds",
  tags,
  operationId: "listCalendarFeeds",
  summary: "List the team's calendar feeds",
  scope: "posts:read",
  limit: "read:calendar",
  responses: json(feedListSchema, "Oldest first."),
});
calendarRoutes.openapi(list, async (c) => {
  const feeds = await listFeeds(c.var.ctx);
  return c.json({ success: true as const, data: feeds.map(toFeed) }, 200);
});

const create = apiRoute({
  method: "post",
  path: "/calendar/feeds",
  tags,
  operationId: "createCalendarFeed",
  summary: "Make a calendar feed",
  description:
    "A secret address, in iCalendar, that Google, Apple and other calendars subscribe to: scheduled and published posts from 30 days ago to 90 days ahead. Everybody who has the address can read it, until it is revoked, its token is, or the person who made it leaves the team.",
  scope: "posts:write",
  limit: "write",
  responses: {
    ...success({ data: newFeedSchema }, "The feed."),
    ...conflict("PLAN_LIMIT: the team has 50 feeds."),
  },
});
calendarRoutes.openapi(create, async (c) => {
  const { ctx } = c.var;
  const { feed, path } = await createFeed(ctx, null);
  const data = { ...toFeed(feed), url: publicOrigin(ctx, c.req.url) + path };
  return c.json({ success: true as const, data }, 200);
});

const end = apiRoute({
  method: "delete",
  path: "/calendar/feeds/{id}",
  tags,
  operationId: "deleteCalendarFeed",
  summary: "Revoke a calendar feed",
  description: "Owners and admins revoke every feed, members their own.",
  scope: "posts:write",
  limit: "destructive",
  request: { params: idParams },
  responses: { ...success({ message: z.string() }, "Revoked."), ...NOT_FOUND },
});
calendarRoutes.openapi(end, async (c) => {
  await endFeed(c.var.ctx, readNumericId(c.req.valid("param").id, "Feed"));
  const message = "The feed has been revoked. Its address answers 404 from now on.";
  return c.json({ success: true as const, message }, 200);
});
