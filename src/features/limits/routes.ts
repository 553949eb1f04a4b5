import * as z from "zod";
import { apiRoute, createRouter, NOT_FOUND, success } from "../../http/route.ts";
import { getLimits } from "./service.ts";

export const limitRoutes = createRouter();

const limitsSchema = z
  .object({
    remaining: z.number().int(),
    limit: z.number().int().describe("Posts in any 24 hours."),
    resetAt: z.iso
      .datetime()
      .describe("When the oldest counted post is 24 hours old; now when none counts."),
  })
  .meta({ id: "AccountLimits" });

const limits = apiRoute({
  method: "get",
  path: "/limits/{accountId}",
  tags: ["Uploads"],
  operationId: "getLimits",
  summary: "Read an account's daily limit",
  scope: "posts:read",
  limit: "read:limits",
  request: { params: z.object({ accountId: z.string().describe("The connected account.") }) },
  responses: {
    ...success({ data: limitsSchema }, "The account's daily limit, and what is left of it."),
    ...NOT_FOUND,
  },
});
limitRoutes.openapi(limits, async (c) => {
  const accountLimits = await getLimits(c.var.ctx, c.req.valid("param").accountId);
  const data = { ...accountLimits, resetAt: accountLimits.resetAt.toISOString() };
  return c.json({ success: true as const, data }, 200);
});
