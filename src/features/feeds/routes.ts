import * as z from "zod";
import { publicOrigin } from "../../http/env.ts";
import { idParams, readNumericId } from "../../http/ids.ts";
import { apiRoute, createRouter, jsonBody, NOT_FOUND, success } from "../../http/route.ts";
import { feedChangeSchema, feedSchema, newFeedSchema, toFeed } from "./schema.ts";
import * as feeds from "./service.ts";

export const feedRoutes = createRouter();

const tags = ["Feeds", "Extensions"];

const list = apiRoute({
  method: "get",
  path: "/feeds",
  tags,
  operationId: "listFeeds",
  summary: "List the team's feeds",
  scope: "posts:read",
  limit: "read:feeds",
  responses: success({ data: z.array(feedSchema) }, "Newest first."),
});
feedRoutes.openapi(list, async (c) => {
  const rows = await feeds.listFeeds(c.var.ctx);
  return c.json({ success: true as const, data: rows.map(toFeed) }, 200);
});

const add = apiRoute({
  method: "post",
  path: "/feeds",
  tags,
  operationId: "addFeed",
  summary: "Make posts of a feed's new entries",
  description:
    "The feed is read at once, and then about every hour. What it has already makes no posts, and each later entry makes its posts once.",
  scope: "posts:write",
  limit: "write",
  request: { body: jsonBody(newFeedSchema) },
  responses: success({ data: feedSchema }, "The feed."),
});
feedRoutes.openapi(add, async (c) => {
  const { ctx } = c.var;
  const row = await feeds.addFeed(ctx, c.req.valid("json"), publicOrigin(ctx, c.req.url));
  return c.json({ success: true as const, data: toFeed(row) }, 200);
});

const change = apiRoute({
  method: "patch",
  path: "/feeds/{id}",
  tags,
  operationId: "updateFeed",
  summary: "Change a feed",
  description:
    "Fields that are left out stay as they are. Its posts are the caller's from then on. With another address, what is there already makes no posts.",
  scope: "posts:write",
  limit: "write",
  request: { params: idParams, body: jsonBody(feedChangeSchema) },
  responses: { ...success({ data: feedSchema }, "The feed."), ...NOT_FOUND },
});
feedRoutes.openapi(change, async (c) => {
  const id = readNumericId(c.req.valid("param").id, "Feed");
  const row = await feeds.changeFeed(c.var.ctx, id, c.req.valid("json"));
  return c.json({ success: true as const, data: toFeed(row) }, 200);
});

const remove = apiRoute({
  method: "delete",
  path: "/feeds/{id}",
  tags,
  operationId: "deleteFeed",
  summary: "Delete a feed",
  description: "The posts that it made stay.",
  scope: "posts:write",
  limit: "destructive",
  request: { params: idParams },
  responses: { ...success({ message: z.string() }, "The feed is gone."), ...NOT_FOUND },
});
feedRoutes.openapi(remove, async (c) => {
  await feeds.deleteFeed(c.var.ctx, readNumericId(c.req.valid("param").id, "Feed"));
  return c.json({ success: true as const, message: "Feed deleted." }, 200);
});
