import * as z from "zod";
import { idParams } from "../../http/ids.ts";
import { apiRoute, createRouter, jsonBody, NOT_FOUND, success } from "../../http/route.ts";
import {
  accountDetailSchema,
  accountFilterSchema,
  accountSchema,
  accountTagsSchema,
  toAccount,
  toAccountDetail,
} from "./schema.ts";
import * as accounts from "./service.ts";

export const accountRoutes = createRouter();

const list = apiRoute({
  method: "get",
  path: "/accounts",
  tags: ["Accounts"],
  operationId: "listAccounts",
  summary: "List connected accounts",
  scope: "accounts:read",
  limit: "read:accounts",
  request: { query: accountFilterSchema },
  responses: success(
    { data: z.array(accountSchema), count: z.number().int() },
    "The team's accounts.",
  ),
});
accountRoutes.openapi(list, async (c) => {
  const rows = await accounts.listAccounts(c.var.ctx, c.req.valid("query"));
  return c.json({ success: true as const, data: rows.map(toAccount), count: rows.length }, 200);
});

const get = apiRoute({
  method: "get",
  path: "/accounts/{id}",
  tags: ["Accounts"],
  operationId: "getAccount",
  summary: "Read one account",
  scope: "accounts:read",
  limit: "read:accounts",
  request: { params: idParams },
  responses: { ...success({ data: accountDetailSchema }, "The account."), ...NOT_FOUND },
});
accountRoutes.openapi(get, async (c) => {
  const { account, lastUsedAt } = await accounts.getAccount(c.var.ctx, c.req.valid("param").id);
  return c.json({ success: true as const, data: toAccountDetail(account, lastUsedAt) }, 200);
});

const tag = apiRoute({
  method: "patch",
  path: "/accounts/{id}",
  tags: ["Accounts", "Extensions"],
  operationId: "updateAccount",
  summary: "Set an account's tags",
  scope: "accounts:write",
  limit: "write",
  request: { params: idParams, body: jsonBody(accountTagsSchema) },
  responses: { ...success({ data: accountSchema }, "The account."), ...NOT_FOUND },
});
accountRoutes.openapi(tag, async (c) => {
  const { id } = c.req.valid("param");
  const account = await accounts.setAccountTags(c.var.ctx, id, c.req.valid("json").tags);
  return c.json({ success: true as const, data: toAccount(account) }, 200);
});
