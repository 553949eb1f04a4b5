import { apiRoute, createRouter, success } from "../../http/route.ts";
import { creditsSchema } from "./schema.ts";
import * as credits from "./service.ts";

export const creditRoutes = createRouter();

const read = apiRoute({
  method: "get",
  path: "/x-credits",
  tags: ["Credits"],
  operationId: "getXCredits",
  summary: "Read the X credits",
  description:
    "The team's credits, what a post on X costs, and the packs on sale. Credits are taken when a post is published, and returned if that fails.",
  scope: "posts:read",
  limit: "read:credits",
  responses: success({ data: creditsSchema }, "The credits of the team."),
});
creditRoutes.openapi(read, async (c) => {
  const data = await credits.readCredits(c.var.ctx);
  return c.json({ success: true as const, data }, 200);
});
