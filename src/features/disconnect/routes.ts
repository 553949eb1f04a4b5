import * as z from "zod";
import { idParams } from "../../http/ids.ts";
import { apiRoute, createRouter, NOT_FOUND, success } from "../../http/route.ts";
import { removedAccountSchema } from "../accounts/schema.ts";
import { disconnectAccount } from "./service.ts";

export const disconnectRoutes = createRouter();

const remove = apiRoute({
  method: "delete",
  path: "/accounts/{id}",
  tags: ["Accounts"],
  operationId: "deleteAccount",
  summary: "Disconnect an account",
  description:
    "Revokes the login at the platform, deletes it here, and fails the account's waiting posts. Published posts stay.",
  scope: "accounts:write",
  limit: "destructive",
  request: { params: idParams },
  responses: {
    ...success(
      { message: z.string(), data: removedAccountSchema },
      "The account that was disconnected.",
    ),
    ...NOT_FOUND,
  },
});
disconnectRoutes.openapi(remove, async (c) => {
  const account = await disconnectAccount(c.var.ctx, c.req.valid("param").id);
  const { id, platform, accountName } = account;
  const message = `${accountName} has been disconnected.`;
  return c.json({ success: true as const, message, data: { id, platform, accountName } }, 200);
});
