import * as z from "zod";
import { PLATFORMS } from "../../core/platforms.ts";
import { postIdArgument } from "../../mcp/arguments.ts";
import { tool } from "../../mcp/tool.ts";
import { toUnpublished } from "./schema.ts";
import { unpublishUpload } from "./service.ts";

export const unpublishPostTool = tool({
  name: "unpublish_post",
  title: "Take a published post down",
  scope: "posts:publish",
  description:
    "Deletes a published post at its platform. Nothing brings it back, so ask your user first. Only an owner or admin of the team may. It is safe to repeat. When the platform deletes nothing for apps, the refusal has the post's address and says where your user deletes it. After a refusal that says to ask again, repeat the call.",
  input: z.strictObject({ postId: postIdArgument.describe("From create_post.") }),
  output: z.object({
    postId: z.number().int(),
    platform: z.enum(PLATFORMS),
    unpublishedAt: z.string(),
    url: z.string().nullable().describe("The address that the post had."),
    message: z.string(),
  }),
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: true,
    openWorldHint: true,
  },
  run: async ({ ctx }, { postId }) => {
    const unpublished = await unpublishUpload(ctx, postId);
    const { platform, unpublishedAt, shareUrl } = toUnpublished(unpublished);
    return { postId, platform, unpublishedAt, url: shareUrl, message: unpublished.message };
  },
});
