import * as z from "zod";
import { apiRoute, createRouter, json, jsonBody } from "../../http/route.ts";
import {
  newSuggestionSchema,
  suggestionPageSchema,
  suggestionSchema,
  toSuggestion,
} from "./schema.ts";
import * as suggestions from "./service.ts";

export const suggestionRoutes = createRouter();

const yes = z.literal(true);
const tags = ["Suggestions", "Extensions"];

const list = apiRoute({
  method: "get",
  path: "/suggestions",
  tags,
  operationId: "listSuggestions",
  summary: "List the team's suggestions",
  scope: "team:read",
  limit: "read:suggestions",
  request: { query: suggestionPageSchema },
  responses: json(
    z.object({
      success: yes,
      data: z.array(suggestionSchema),
      nextBefore: z.number().int().nullable().describe("Null on the last page."),
    }),
    "Newest first.",
  ),
});
suggestionRoutes.openapi(list, async (c) => {
  const page = await suggestions.listSuggestions(c.var.ctx, c.req.valid("query"));
  const { rows, nextBefore } = page;
  return c.json({ success: true as const, data: rows.map(toSuggestion), nextBefore }, 200);
});

const create = apiRoute({
  method: "post",
  path: "/suggestions",
  tags,
  operationId: "createSuggestion",
  summary: "Make a suggestion",
  description: "An idea or feedback for the people who run this instance. They set its status.",
  scope: "team:write",
  limit: "write",
  request: { body: jsonBody(newSuggestionSchema) },
  responses: json(z.object({ success: yes, data: suggestionSchema }), "The new suggestion."),
});
suggestionRoutes.openapi(create, async (c) => {
  const row = await suggestions.createSuggestion(c.var.ctx, c.req.valid("json"), null);
  return c.json({ success: true as const, data: toSuggestion(row) }, 200);
});
