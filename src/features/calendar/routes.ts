import { publicOrigin } from "../../http/env.ts";
import { apiRoute, createRouter, json } from "../../http/route.ts";
import { calendarQuerySchema, calendarSchema, toCalendarAnswer } from "./schema.ts";
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
