import * as z from "zod";
import { notFound } from "../../../core/errors.ts";
import { READS, tool } from "../../../mcp/tool.ts";
import { connectorOf, PLATFORMS } from "../../../platforms/registry.ts";
import { accountById } from "../../accounts/repo.ts";
import { textOf } from "../create/content-rules.ts";
import { suggestHashtags } from "../hashtags.ts";
import { wordRulesOf } from "../repo/change.ts";
import { uploadPage } from "../repo/read.ts";

/** Published posts that are learned from, the newest ones. */
const LOOKED_AT = 100;
const MAX_SUGGESTED = 30;
const DEFAULT_SUGGESTED = 10;

export const suggestHashtagsTool = tool({
  name: "suggest_hashtags",
  title: "Suggest hashtags",
  description:
    "Suggests hashtags for a text: those it has, those that the account (or the team, on that platform) used in its last 100 published posts where they fit, and the text's own words. No model is asked, and hashtags that the platform hides are left out.",
  input: z.strictObject({
    text: z.string().min(1).max(30_000),
    platform: z.enum(PLATFORMS),
    accountId: z.string().max(100).optional().describe("Learns from this account's posts alone."),
    limit: z.number().int().min(1).max(MAX_SUGGESTED).default(DEFAULT_SUGGESTED),
  }),
  output: z.object({
    hashtags: z.array(
      z.object({
        hashtag: z.string(),
        reason: z.enum(["in_text", "own_posts", "words"]),
        uses: z.number().int().describe("Of the posts looked at, how many have it."),
      }),
    ),
  }),
  annotations: READS,
  run: async ({ ctx }, { text, platform, accountId, limit }) => {
    const filter = { status: "completed", platform, accountId, limit: LOOKED_AT, page: 1 } as const;
    const [rows, [rules], accounts] = await ctx.read("posts:read", [
      uploadPage(ctx.team, filter),
      wordRulesOf(ctx.team),
      accountById(ctx.team, accountId ?? ""),
    ]);
    if (accountId !== undefined && accounts.length === 0) throw notFound("Account");
    const posts = rows.flatMap(({ record }) => (record ? [textOf(record.upload)] : []));
    const { bannedHashtags } = connectorOf(platform).capabilities;
    const banned = rules?.bannedHashtags?.[platform] ?? bannedHashtags;
    return { hashtags: suggestHashtags(text, posts, { banned, limit }) };
  },
});
