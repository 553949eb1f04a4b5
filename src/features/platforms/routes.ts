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
  summary: "Read the limits of a platform",
  description:
    "The limits that posts are checked against: lengths, files, the daily cap, the platform's own fields. The answer is an object for one platform and an array for all.",
  scope: "posts:read",
  limit: "read:platforms",
  request: { query: capabilitiesFilterSchema },
  responses: json(
    z.object({
      success: z.literal(true),
      data: z.union([capabilitiesSchema, z.array(capabilitiesSchema)]),
    }),
    "The limits of one platform, or of all.",
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
