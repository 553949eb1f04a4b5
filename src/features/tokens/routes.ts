import * as z from "zod";
import { idParams, readNumericId } from "../../http/ids.ts";
import { apiRoute, createRouter, json, jsonBody, NOT_FOUND } from "../../http/route.ts";
import { createdTokenSchema, newTokenSchema, tokenSchema, toToken } from "./schema.ts";
import * as tokens from "./service.ts";

export const tokenRoutes = createRouter();

const yes = z.literal(true);
const tags = ["Tokens", "Extensions"];

const list = apiRoute({
  method: "get",
  path: "/tokens",
  tags,
  operationId: "listTokens",
  summary: "List your API tokens",
  scope: "*",
  limit: "read:tokens",
  responses: json(z.object({ success: yes, data: z.array(tokenSchema) }), "Newest first."),
});
tokenRoutes.openapi(list, async (c) => {
  const rows = await tokens.listTokens(c.var.ctx);
  return c.json({ success: true as const, data: rows.map(toToken) }, 200);
});

const create = apiRoute({
  method: "post",
  path: "/tokens",
  tags,
  operationId: "createToken",
  summary: "Create an API token",
  description:
    "The token is shown once. It cannot have more scopes than the token that creates it; a token pinned to a team creates tokens of that team only.",
  scope: "*",
  limit: "write",
  request: { body: jsonBody(newTokenSchema) },
  responses: json(z.object({ success: yes, data: createdTokenSchema }), "The new token."),
});
tokenRoutes.openapi(create, async (c) => {
  const { row, token } = await tokens.createToken(c.var.ctx, c.req.valid("json"), null);
  const { hint: _hint, lastUsedAt: _lastUsedAt, ...data } = toToken(row);
  return c.json({ success: true as const, data: { ...data, token } }, 200);
});

const revoke = apiRoute({
  method: "delete",
  path: "/tokens/{id}",
  tags,
  operationId: "revokeToken",
  summary: "Revoke an API token",
  description:
    "Ends the token with what was made by it: other tokens, open invitations, review links, report links, connection pages and calendar feeds.",
  scope: "*",
  limit: "destructive",
  request: { params: idParams },
  responses: {
    ...json(z.object({ success: yes, message: z.string() }), "Revoked."),
    ...NOT_FOUND,
  },
});
tokenRoutes.openapi(revoke, async (c) => {
  await tokens.revokeToken(c.var.ctx, readNumericId(c.req.valid("param").id, "Token"));
  return c.json({ success: true as const, message: "The token has been revoked." }, 200);
});
