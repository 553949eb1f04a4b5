import * as z from "zod";
import { apiRoute, createRouter, json } from "../../http/route.ts";
import { capabilitiesFilterSchema, capabilitiesSchema, toCapabilities } from "./schema.ts";
import * as platforms from "./service.ts";

export const platformRoutes = createRouter();

const capabilities = apiRoute({
  method: "get",
  path: "/platforms/capabilities",
  tags: ["Platforms"],
  operationId: "getPlatformCapabilities",
  summary: "Read what a platform takes",
  description:
    "The limits that posts are checked by: lengths, files, the daily cap, the platform's own fields. One platform is an object, all of them are an array.",
  scope: "posts:read",
  limit: "read:platforms",
  request: { query: capabilitiesFilterSchema },
  responses: json(
    z.object({
      success: z.literal(true),
      data: z.union([capabilitiesSchema, z.array(capabilitiesSchema)]),
    }),
    "What one platform takes, or each of them.",
  ),
});
platformRoutes.openapi(capabilities, async (c) => {
  const { platform } = c.req.valid("query");
  const connectors = await platforms.readConnectors(c.var.ctx, platform);
  const all = connectors.map(toCapabilities);
  const [first] = all;
  const data = platform && first ? first : all;
  return c.json({ success: true as const, data }, 200);
});
