import * as z from "zod";
import { toPagination } from "../../core/pagination.ts";
import { publicOrigin } from "../../http/env.ts";
import { idParams, readNumericId } from "../../http/ids.ts";
import { resultOf } from "../../http/named-call.ts";
import { apiRoute, conflict, createRouter, formRoute, json, NOT_FOUND } from "../../http/route.ts";
import { withWarnings } from "../posts/as-published.ts";
import { HELD_MESSAGE } from "../posts/permissions.ts";
import {
  createdUploadSchema,
  MAX_LIMIT,
  toCreatedUpload,
  toFailure,
  toUpload,
  uploadFilterSchema,
  uploadSchema,
} from "../posts/schema.ts";
import * as uploads from "../posts/service.ts";
import { uploadFormSchema } from "./form-schema.ts";

export const uploadRoutes = createRouter();

const yes = z.literal(true);

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
        .transform((given) => [given].flat()[0]?.toLowerCase() !== "false")
        .describe("`false` waits up to 60 seconds for the outcome.")
        .openapi({ type: "boolean", default: true }),
    }),
  },
  form: uploadFormSchema,
  responses: {
    ...json(
      z.object({ success: yes, message: z.string(), data: createdUploadSchema }),
      "The queued post.",
    ),
    ...NOT_FOUND,
    ...conflict(
      "ACCOUNT_INACTIVE: reconnect the account first. PLAN_LIMIT: the month's posts or the X credits are used up. QUEUE_FULL or QUEUE_BUSY: too many posts in progress, or too many drafts.",
    ),
  },
});
uploadRoutes.openapi(create, async (c) => {
  const { ctx } = c.var;
  // Most calls read: they do not wait for this.
  const [{ readPostForm }, { createPost }] = await Promise.all([
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
  const latest = await uploads.waitUntilDone(ctx, upload);
  const { status, errorMessage } = latest;
  const data = {
    ...toCreatedUpload(latest),
    failure: toFailure(latest),
    errorMessage: status === "failed" ? errorMessage : null,
    ...warnings,
  };
  return c.json(
    { success: true as const, message: MESSAGES[status] ?? `Upload ${status}.`, data },
    200,
  );
});

const MESSAGES: Record<string, string> = {
  draft: "Saved as a draft.",
  pending_approval: HELD_MESSAGE,
  scheduled: "Scheduled.",
  pending: "Queued for publishing.",
};

const list = apiRoute({
  method: "get",
  path: "/upload",
  tags: ["Uploads"],
  operationId: "listUploads",
  summary: "List uploads",
  description: "Most recent first: by planned date, else by date of creation.",
  scope: "posts:read",
  limit: "read:uploads",
  request: { query: uploadFilterSchema },
  responses: json(
    z.object({
      success: yes,
      data: z.array(uploadSchema).max(MAX_LIMIT),
      pagination: z.object({
        total: z.number().int(),
        page: z.number().int(),
        limit: z.number().int(),
        totalPages: z.number().int(),
      }),
    }),
    "One page.",
  ),
});
uploadRoutes.openapi(list, async (c) => {
  const { ctx } = c.var;
  const filter = c.req.valid("query");
  const { page, total } = await uploads.listUploads(ctx, filter);
  const origin = publicOrigin(ctx, c.req.url);
  const data = await Promise.all(page.map((row) => toUpload(ctx, origin, row)));
  const pagination = toPagination(total, filter.page, filter.limit);
  return c.json({ success: true as const, data, pagination }, 200);
});

const get = apiRoute({
  method: "get",
  path: "/upload/{id}",
  tags: ["Uploads"],
  operationId: "getUpload",
  summary: "Read one upload",
  description:
    "The ETag is the post's `version`: send it back as If-Match to decide on just what was read.",
  scope: "posts:read",
  limit: "upload-poll",
  request: { params: idParams },
  responses: {
    ...json(z.object({ success: yes, data: uploadSchema }), "The upload."),
    ...NOT_FOUND,
  },
});
uploadRoutes.openapi(get, async (c) => {
  const { ctx } = c.var;
  const id = readNumericId(c.req.valid("param").id, "Upload");
  const found = await uploads.getUpload(ctx, id);
  const data = await toUpload(ctx, publicOrigin(ctx, c.req.url), found);
  // If-Match compares strong tags alone, so this one is strong though it says nothing of the status.
  c.header("ETag", `"${data.version}"`);
  return c.json({ success: true as const, data }, 200);
});
