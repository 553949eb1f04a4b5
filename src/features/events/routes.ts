import { apiRoute, createRouter, json } from "../../http/route.ts";
import { toEnvelope } from "./envelope.ts";
import { eventFeedSchema, eventPageSchema } from "./schema.ts";
import { readFeed } from "./service.ts";

export const eventRoutes = createRouter();

const feed = apiRoute({
  method: "get",
  path: "/events",
  tags: ["Webhooks", "Extensions"],
  operationId: "listEvents",
  summary: "Read the team's events",
  description:
    "Every event of the last 30 days, oldest first, in the form in which webhooks are sent them. Ask again with `nextCursor` for the events since then: each comes once, and you miss none.",
  scope: "webhooks:read",
  limit: "read:events",
  request: { query: eventFeedSchema },
  responses: json(eventPageSchema, "Oldest first."),
});
eventRoutes.openapi(feed, async (c) => {
  const { events, nextCursor, hasMore } = await readFeed(c.var.ctx, c.req.valid("query"));
  const data = events.map(toEnvelope);
  return c.json({ success: true as const, data, nextCursor, hasMore }, 200);
});
