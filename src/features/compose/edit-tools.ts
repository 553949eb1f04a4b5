import * as z from "zod";
import { invalidFields, toFieldErrors } from "../../core/errors.ts";
import { UPLOAD_STATUSES } from "../../core/upload-status.ts";
import { postIdArgument } from "../../mcp/arguments.ts";
import { tool } from "../../mcp/tool.ts";
import { postWarnings } from "../content/as-published.ts";
import { editUpload } from "./edit.ts";
import { uploadEditSchema } from "./schema.ts";

const text = z.string().nullable().optional();

export const updatePostTool = tool({
  name: "update_post",
  title: "Edit a post",
  scope: "posts:write",
  description:
    "Edits a post that is not out yet; what is left out stays. Of a published post, it changes the text at the platform, where editable of get_platform_capabilities names it: that is public, so show the text to your user first. Otherwise the refusal says what your user does by hand. It is safe to repeat.",
  input: z.strictObject({
    postId: postIdArgument.describe("From create_post."),
    title: text,
    description: text.describe("The text, caption or description."),
    scheduleDate: z.string().optional().describe("ISO 8601 with an offset, in the future."),
    thread: uploadEditSchema.shape.thread.describe(
      "The posts that follow: texts, or texts with the numbers of the post's files from 0. null takes them off.",
    ),
    threadMarks: z.boolean().optional().describe("Numbers the posts of the thread sent along."),
    firstComment: text.describe("null takes it off."),
  }),
  output: z.object({
    postId: z.number().int(),
    status: z.enum(UPLOAD_STATUSES),
    url: z.string().nullable().describe("The address of a published post."),
    warnings: z.array(z.string()),
  }),
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: true,
    openWorldHint: true,
  },
  run: async ({ ctx }, { postId, scheduleDate, threadMarks, firstComment, ...texts }) => {
    const edit = uploadEditSchema.safeParse({
      ...texts,
      scheduledFor: scheduleDate,
      thread_marks: threadMarks,
      first_comment: firstComment,
    });
    if (!edit.success) throw invalidFields(toFieldErrors(edit.error));
    const upload = await editUpload(ctx, postId, edit.data);
    const warnings = await postWarnings(ctx.config, upload);
    const { status, metadata } = upload;
    return { postId, status, url: metadata?.shareUrl ?? null, warnings };
  },
});
