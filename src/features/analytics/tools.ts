import * as z from "zod";
import { PLATFORMS } from "../../core/platforms.ts";
import { READS, tool } from "../../mcp/tool.ts";
import { REASONS } from "./rules/hashtags.ts";
import { LOOKED_AT, suggestFor } from "./suggest.ts";

const MAX_SUGGESTED = 30;
const DEFAULT_SUGGESTED = 10;
/** No platform allows longer texts. */
const MAX_TEXT_CHARACTERS = 70_000;

export const suggestHashtagsTool = tool({
  name: "suggest_hashtags",
  title: "Suggest hashtags",
  scope: "posts:read",
  description: `Suggests hashtags for a text, best first: those it has, then those of the account's own posts that fit its words, its own words, and the account's other hashtags. Own hashtags are ordered by views and engagement per post when analytics were collected, else by use in the last ${LOOKED_AT} published posts. It uses no AI model, and leaves out hashtags that the platform hides or the team bans. Choose only those that suit the text.`,
  input: z.strictObject({
    text: z.string().min(1).max(MAX_TEXT_CHARACTERS).describe("The text of the post."),
    platform: z.enum(PLATFORMS),
    accountId: z
      .string()
      .max(100)
      .optional()
      .describe("Uses the posts of this account only; else those of all accounts on the platform."),
    limit: z.number().int().min(1).max(MAX_SUGGESTED).default(DEFAULT_SUGGESTED),
  }),
  output: z.object({
    hashtags: z.array(
      z.object({
        hashtag: z.string().describe("The hashtag with its #."),
        reason: z
          .enum(REASONS)
          .describe(
            "in_text: the text has it. best_performing: own posts with it were measured. own_posts: own posts have it. words: a word of the text.",
          ),
        uses: z.number().int().describe("Number of the account's known posts that have it."),
      }),
    ),
  }),
  annotations: READS,
  run: async ({ ctx }, question) => ({ hashtags: await suggestFor(ctx, question) }),
});
