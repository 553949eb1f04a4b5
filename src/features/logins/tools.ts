import * as z from "zod";
import { tool } from "../../mcp/tool.ts";
import { findMentions } from "./find-mentions.ts";
import { mentionedSchema, mentionQuery } from "./schema.ts";

export const findMentionsTool = tool({
  name: "find_mentions",
  title: "Find accounts to mention",
  scope: "accounts:read",
  description:
    "Finds accounts that a post of this account can mention. Put `mention` into the post's text as it stands. Bluesky, Mastodon and X search by name, LinkedIn finds one page by the name in its address. X charges the owner for each account found, so ask once, not while your user types. The refusal for other platforms says how their mentions are written.",
  input: z.strictObject({
    accountId: z.string().min(1).max(100).describe("From list_accounts: the account that posts."),
    query: mentionQuery,
  }),
  output: z.object({ mentions: z.array(mentionedSchema) }),
  annotations: { readOnlyHint: true, openWorldHint: true },
  run: async ({ ctx }, { accountId, query }) => ({
    mentions: await findMentions(ctx, accountId, query),
  }),
});
