import { apiRoute, createRouter, json } from "../../http/route.ts";
import { activityAnswerSchema, activityPageSchema, toLine } from "./schema.ts";
import { listActivity } from "./service.ts";

export const activityRoutes = createRouter();

const list = apiRoute({
  method: "get",
  path: "/activity",
  tags: ["Teams", "Extensions"],
  operationId: "listActivity",
  summary: "Read who changed what",
  description:
    "One line for each change of the last 13 months, newest first: by people, tokens, agents, clients and the system. A post's creation and its way to the platform stand in the post itself.",
  scope: "team:read",
  limit: "read:activity",
  request: { query: activityPageSchema },
  responses: json(activityAnswerSchema, "Newest first."),
});
activityRoutes.openapi(list, async (c) => {
  const { lines, nextCursor } = await listActivity(c.var.ctx, c.req.valid("query"));
  return c.json({ success: true as const, data: lines.map(toLine), nextCursor }, 200);
});
