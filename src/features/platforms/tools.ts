import * as z from "zod";
import { READS, tool } from "../../mcp/tool.ts";
import { PLATFORMS } from "../../platforms/registry.ts";
import { agentSettings } from "../uploads/tools/settings.ts";
import { capabilitiesSchema, toCapabilities } from "./schema.ts";
import { readConnectors } from "./service.ts";

export const capabilitiesTool = tool({
  name: "get_platform_capabilities",
  title: "What a platform takes",
  description:
    "Tells what one platform takes: lengths of texts, kinds, sizes and number of files, posts a day, hidden hashtags, and its settings under the names that create_post takes in settings.<platform>.",
  input: z.strictObject({ platform: z.enum(PLATFORMS) }),
  output: capabilitiesSchema,
  annotations: READS,
  run: async ({ ctx }, { platform }) => {
    const [connector] = await readConnectors(ctx, platform);
    if (!connector) throw new Error(`There is no connector of ${platform}.`);
    const { settingsSchema, ...capabilities } = toCapabilities(connector);
    const named = agentSettings(connector).flatMap(({ name, wireName }) => {
      const known = settingsSchema[wireName];
      return known ? [[name, known] as const] : [];
    });
    return { ...capabilities, settingsSchema: Object.fromEntries(named) };
  },
});
