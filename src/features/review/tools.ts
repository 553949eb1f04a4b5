import * as z from "zod";
import { reviewPath } from "../../core/link-token.ts";
import { postIdArgument } from "../../mcp/arguments.ts";
import { tool } from "../../mcp/tool.ts";
import { MAX_REVIEWED } from "./rules.ts";
import { newReviewLinkSchema, reviewLinkSchema } from "./schema.ts";
import { createReviewLink } from "./service.ts";

export const reviewLinkTool = tool({
  name: "create_review_link",
  title: "Make a page where a client reviews posts",
  scope: "posts:publish",
  description: `Makes the address of a page, open for 14 days, where a client without an account sees posts as they will look, and approves them or asks for changes. Takes up to ${MAX_REVIEWED} drafts and posts that await approval, or without postIds all posts that await approval. Drafts are submitted. Everybody who has the address can approve: give it only to your user. Owners and admins only.`,
  input: z.strictObject({
    postIds: z
      .array(postIdArgument)
      .pipe(newReviewLinkSchema.shape.uploadIds.unwrap())
      .optional()
      .describe("From create_post."),
  }),
  output: z.object({
    url: reviewLinkSchema.shape.url,
    expiresAt: z.string(),
    postIds: z.array(z.number().int()),
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  run: async ({ ctx, origin }, { postIds = null }) => {
    const { id, expiresAt, uploadIds } = await createReviewLink(ctx, postIds);
    const url = origin + (await reviewPath(ctx.config.signingKey, id));
    return { url, expiresAt: expiresAt.toISOString(), postIds: uploadIds };
  },
});
