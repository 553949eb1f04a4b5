import * as z from "zod";
import { PLATFORMS } from "../../core/platforms.ts";
import { READS, tool } from "../../mcp/tool.ts";
import { accountFilterSchema, accountSchema, serverLimits } from "./schema.ts";
import { listAccounts } from "./service.ts";

const account = z.object({
  id: z.string(),
  platform: z.enum(PLATFORMS),
  name: z.string(),
  status: accountSchema.shape.status.describe(
    "active: can publish. expired or revoked: its owner has to reconnect it.",
  ),
  tags: z.string().describe("Comma-separated."),
  serverLimits: serverLimits
    .optional()
    .describe(
      "What this account's own server takes, before the limits of get_platform_capabilities (mastodon).",
    ),
});

export const listAccountsTool = tool({
  name: "list_accounts",
  title: "List connected accounts",
  scope: "accounts:read",
  description:
    "Lists the social accounts that can be published to, with their ids. Call it first: create_post and the other tools take these ids. An account that is not active cannot publish; its owner reconnects it in the dashboard.",
  input: z.strictObject(accountFilterSchema.shape),
  output: z.object({ accounts: z.array(account) }),
  annotations: READS,
  run: async ({ ctx }, filter) => {
    const rows = await listAccounts(ctx, filter);
    return {
      accounts: rows.map((row) => {
        const { id, platform, accountName: name, status, tags, serverLimits: own } = row;
        return { id, platform, name, status, tags, ...(own ? { serverLimits: own } : {}) };
      }),
    };
  },
});
