import * as z from "zod";
import { PLATFORMS } from "../../core/platforms.ts";
import { READS, tool } from "../../mcp/tool.ts";
import type { Connector } from "../../platforms/connector.ts";
import { agentSettings, describeSetting } from "../../platforms/kit/agent-settings.ts";
import { capabilitiesSchema, toCapabilities } from "./schema.ts";
import { readConnectors } from "./service.ts";

const setting = z.object({
  required: z.boolean(),
  type: z.enum(["string", "boolean", "integer", "array"]),
  values: z.array(z.string()).describe("The only values taken; empty when any may be sent."),
  description: z.string(),
});

function toSettings(connector: Connector): Record<string, z.output<typeof setting>> {
  const settings = agentSettings(connector).map(({ name, info }) => {
    const { type, values = [], required = false, mustBeChosen = false } = info;
    const description = describeSetting(connector, info);
    return [name, { required: required || mustBeChosen, type, values: [...values], description }];
  });
  return Object.fromEntries(settings);
}

export const capabilitiesTool = tool({
  name: "get_platform_capabilities",
  title: "Get the limits of a platform",
  scope: "posts:read",
  description:
    "Lists the limits of one platform: lengths of texts, kinds, sizes and number of files, posts a day, hidden hashtags. Lists its settings too, by the names that create_post takes in settings.<platform>. A required setting has to be chosen: ask your user.",
  input: z.strictObject({ platform: z.enum(PLATFORMS) }),
  output: capabilitiesSchema.extend({
    settingsSchema: z.record(z.string(), setting).describe("The platform's settings, by name."),
  }),
  annotations: READS,
  run: async ({ ctx }, { platform }) => {
    const [connector] = await readConnectors(ctx, platform);
    if (!connector) throw new Error(`There is no connector of ${platform}.`);
    return { ...toCapabilities(connector), settingsSchema: toSettings(connector) };
  },
});
