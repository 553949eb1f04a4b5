import * as z from "zod";
import { resultOf } from "../../http/named-call.ts";
import { conflict, createRouter, formRoute, NOT_FOUND, success } from "../../http/route.ts";
import { withWarnings } from "../content/as-published.ts";
import { toFailure } from "../content/schema.ts";
import { partFailure } from "../posts/parts.ts";
import { HELD_MESSAGE } from "../posts/rules.ts";
import type { UploadRecord } from "../posts/table.ts";
import { uploadFormSchema } from "./form-schema.ts";
import { createdUploadSchema, toCreatedUpload } from "./schema.ts";

export const uploadRoutes = createRouter();

const create = formRoute({
  method: "post",
  path: "/upload",
  tags: ["Uploads"],
  operationId: "createUpload",
  summary: "Publish one post to one account",
  description:
    "Publishes now or at `schedule_date`, or keeps the post as a draft or for approval. Fields of other platforms are ignored. Posts of a token without posts:publish, and those of members where the team's owner wants it so, are always held for approval; a draft of such a token stays a draft until it is submitted.",
  scope: "posts:write",
  limit: "upload-create",
  idempotencyKeysOf: "operation",
  request: {
    query: z.object({
      async: z
        .union([z.string(), z.array(z.string())])
        .optional()
        .transform((values) => [values].flat()[0]?.toLowerCase() !== "false")
        .describe("`false` waits up to 60 seconds for the outcome.")
        .openapi({ type: "boolean", default: true }),
    }),
  },
  form: uploadFormSchema,
  responses: {
    ...success({ message: z.string(), data: createdUploadSchema }, "The queued post."),
    ...NOT_FOUND,
    ...conflict(
      "ACCOUNT_INACTIVE: reconnect the account first. PLAN_LIMIT: the month's posts or the X credits are used up. QUEUE_FULL or QUEUE_BUSY: too many posts in progress, or too many drafts.",
    ),
  },
});
uploadRoutes.openapi(create, async (c) => {
  const { ctx } = c.var;
  // Loaded by the first post: reads need no such modules.
  const [{ readPostForm }, { createPost, waitUntilDone }] = await Promise.all([
    import("./form.ts"),
    import("./create.ts"),
  ]);
  const call = c.var.readCall();
  const { post, looked } = await readPostForm(ctx, c.req.raw, call);
  const upload = resultOf(c, await createPost(ctx, post, looked));
  const warnings = withWarnings(upload.warnings);
  if (c.req.valid("query").async) {
    const message = MESSAGES[upload.status] ?? "Upload created.";
    const data = { ...toCreatedUpload(upload), ...warnings };
    return c.json({ success: true as const, message, data }, 200);
  }
  const latest = await waitUntilDone(ctx, upload);
  const { status, errorMessage } = latest;
  const data = {
    ...toCreatedUpload(latest),
    failure: toFailure(latest),
    errorMessage: status === "failed" ? errorMessage : null,
    ...warnings,
  };
  const message = partMessage(latest) ?? MESSAGES[status] ?? `Upload ${status}.`;
  return c.json({ success: true as const, message, data }, 200);
});

function partMessage(upload: UploadRecord): string | null {
  const failure = partFailure(upload);
  if (!failure) return null;
  return `The post is out, but part ${failure.position} failed: ${failure.reason} POST /upload/${upload.id}/retry sends what is not out.`;
}

const MESSAGES: Record<string, string> = {
  draft: "Saved as a draft.",
  pending_approval: HELD_MESSAGE,
  scheduled: "Scheduled.",
  pending: "Queued for publishing.",
};
