import { createMiddleware } from "hono/factory";
import * as z from "zod";
import type { AppEnv } from "../../http/env.ts";
import { idParams, readNumericId } from "../../http/ids.ts";
import { only } from "../../http/methods.ts";
import { resultOf } from "../../http/named-call.ts";
import { apiRoute, conflict, createRouter, json, jsonBody, NOT_FOUND } from "../../http/route.ts";
import { getLimits } from "../limits/service.ts";
import { unpublishedWarnings, withWarnings } from "../posts/as-published.ts";
import { deleteUpload } from "../posts/cancel.ts";
import {
  deletedUploadSchema,
  editedUploadSchema,
  heldMessage,
  limitsSchema,
  MAX_PER_PAGE,
  olderFilterSchema,
  olderItemSchema,
  olderPostSchema,
  retriedUploadSchema,
  retriedUploadsSchema,
  retryFilterSchema,
  retrySchema,
  toEditedUpload,
  toOlderItem,
  toOlderPost,
  uploadEditSchema,
} from "../posts/lifecycle-schema.ts";
import { getOlderPost, listOlderPosts } from "../posts/older-posts.ts";
import { HELD_MESSAGE, messageIfHeld } from "../posts/permissions.ts";
import { editUpload } from "./edit.ts";
import { retryFailed, retryUpload } from "./retry.ts";

/** Routes of an upload after its creation. */
export const lifecycleRoutes = createRouter();

const yes = z.literal(true);

/** Clients name the type of a body that they then do not send: that is no broken JSON. */
export const withoutBody = createMiddleware<AppEnv>(async (c, next) => {
  if (c.req.raw.body === null && c.req.header("content-type")) {
    const headers = new Headers(c.req.raw.headers);
    headers.delete("content-type");
    c.req.raw = new Request(c.req.raw, { headers });
  }
  await next();
});

lifecycleRoutes.use("/upload/:id/retry", withoutBody);
lifecycleRoutes.use("/upload/retry-failed", withoutBody);
for (const action of ["retry-failed", "bulk", "validate", "presign"]) {
  lifecycleRoutes.use(`/upload/${action}`, only("POST"));
}

/** A body that may be left out. */
export const optionalBody = <T extends z.ZodType>(schema: T) => ({
  ...jsonBody(schema),
  required: false,
});

const edit = apiRoute({
  method: "patch",
  path: "/upload/{id}",
  tags: ["Uploads"],
  operationId: "updateUpload",
  summary: "Edit a post",
  description:
    "Changes text and date of a draft or a waiting post, or the text of a failed one. A date turns a pending post into a scheduled one. When the caller may not approve (an owner or admin with posts:publish may), an edit sends a scheduled or pending post back to pending_approval, and `message` says what that means. A new text or date that makes the post a duplicate is refused (400, `violations`). The status cannot be changed here (USE_APPROVAL_ACTIONS).",
  scope: "posts:write",
  limit: "write",
  request: { params: idParams, body: jsonBody(uploadEditSchema) },
  responses: {
    ...json(
      z.object({ success: yes, message: heldMessage, data: editedUploadSchema }),
      "The post as it is now.",
    ),
    ...NOT_FOUND,
    ...conflict(
      "UPLOAD_LOCKED: the post is published or being published. PLAN_LIMIT: the plan's posts of that month are used up.",
    ),
  },
});
lifecycleRoutes.openapi(edit, async (c) => {
  const id = readNumericId(c.req.valid("param").id, "Upload");
  const upload = await editUpload(c.var.ctx, id, c.req.valid("json"));
  const told = messageIfHeld(upload.status);
  const warnings = withWarnings(await unpublishedWarnings(upload));
  const data = { ...(await toEditedUpload(upload)), ...warnings };
  return c.json({ success: true as const, ...told, data }, 200);
});

const remove = apiRoute({
  method: "delete",
  path: "/upload/{id}",
  tags: ["Uploads"],
  operationId: "deleteUpload",
  summary: "Cancel or remove a post",
  description:
    "A scheduled or pending post is cancelled: it stays as failed, with failure `cancelled`. A draft, a post that awaits approval and a failed one are removed.",
  scope: "posts:write",
  limit: "destructive",
  request: { params: idParams },
  responses: {
    ...json(
      z.object({ success: yes, message: z.string(), data: deletedUploadSchema }),
      "The post, cancelled or removed.",
    ),
    ...NOT_FOUND,
    ...conflict("NOT_CANCELLABLE: the post is published or being published."),
  },
});
lifecycleRoutes.openapi(remove, async (c) => {
  const id = readNumericId(c.req.valid("param").id, "Upload");
  const { result, status } = await deleteUpload(c.var.ctx, id);
  const message = `The post has been ${result}.`;
  return c.json({ success: true as const, message, data: { id, status } }, 200);
});

const retry = apiRoute({
  method: "post",
  path: "/upload/{id}/retry",
  tags: ["Uploads"],
  operationId: "retryUpload",
  summary: "Retry a failed post",
  description:
    "Queues the post again, to go out now. When the token lacks posts:publish, or the post has changed since its approval, the retry is held for approval, and `message` says what that means. When the account has another post with the same text and files by now, the retry is refused (400, `violations`).",
  scope: "posts:write",
  limit: "write",
  idempotencyKeysOf: "operation",
  request: {
    params: idParams,
    body: optionalBody(retrySchema),
  },
  responses: {
    ...json(
      z.object({ success: yes, message: heldMessage, data: retriedUploadSchema }),
      "The post is queued.",
    ),
    ...NOT_FOUND,
    ...conflict(
      "NOT_FAILED, ALREADY_RETRYING, NOT_RETRYABLE (see force), ACCOUNT_INACTIVE, MEDIA_EXPIRED, DAILY_LIMIT, PLAN_LIMIT, QUEUE_FULL or QUEUE_BUSY.",
    ),
  },
});
lifecycleRoutes.openapi(retry, async (c) => {
  const id = readNumericId(c.req.valid("param").id, "Upload");
  const force = c.req.valid("json").force ?? false;
  const call = c.var.readCall();
  const retried = resultOf(c, await retryUpload(c.var.ctx, id, { force, call }));
  const told = messageIfHeld(retried.status);
  return c.json({ success: true as const, ...told, data: retried }, 200);
});

const retryAll = apiRoute({
  method: "post",
  path: "/upload/retry-failed",
  tags: ["Uploads"],
  operationId: "retryFailedUploads",
  summary: "Retry the failed posts of the last 24 hours",
  description:
    "Retries every retryable post that failed in the last 24 hours, of one account, of one platform or of all: up to 500 per call, oldest first. `skipped` lists the posts that cannot be retried, with the reason.",
  scope: "posts:write",
  limit: "write",
  request: { body: optionalBody(retryFilterSchema) },
  responses: json(
    z.object({ success: yes, message: heldMessage, data: retriedUploadsSchema }),
    "The posts that were queued, and those that were not.",
  ),
});
lifecycleRoutes.openapi(retryAll, async (c) => {
  const { retried, skipped, isHeld } = await retryFailed(c.var.ctx, c.req.valid("json"));
  const left = skipped.map(({ code, ...one }) => ({ ...one, code: code ?? "" }));
  const told = isHeld ? { message: HELD_MESSAGE } : {};
  return c.json({ success: true as const, ...told, data: { retried, skipped: left } }, 200);
});

const limits = apiRoute({
  method: "get",
  path: "/limits/{accountId}",
  tags: ["Uploads"],
  operationId: "getLimits",
  summary: "Read an account's daily limit",
  scope: "posts:read",
  limit: "read:limits",
  request: { params: z.object({ accountId: z.string().describe("The connected account.") }) },
  responses: {
    ...json(
      z.object({ success: yes, data: limitsSchema }),
      "The account's daily limit, and what is left of it.",
    ),
    ...NOT_FOUND,
  },
});
lifecycleRoutes.openapi(limits, async (c) => {
  const found = await getLimits(c.var.ctx, c.req.valid("param").accountId);
  const data = { ...found, resetAt: found.resetAt.toISOString() };
  return c.json({ success: true as const, data }, 200);
});

const list = apiRoute({
  method: "get",
  path: "/posts",
  tags: ["Posts (older)"],
  operationId: "listPosts",
  summary: "List posts in the older form",
  description: "Most recent first. GET /upload has more fields.",
  scope: "posts:read",
  limit: "read:posts",
  request: { query: olderFilterSchema },
  responses: json(
    z.object({
      success: yes,
      data: z.array(olderItemSchema).max(MAX_PER_PAGE),
      meta: z.object({ page: z.number().int(), perPage: z.number().int() }),
    }),
    "One page.",
  ),
});
lifecycleRoutes.openapi(list, async (c) => {
  const filter = c.req.valid("query");
  const posts = await listOlderPosts(c.var.ctx, filter);
  const meta = { page: filter.page, perPage: filter.perPage };
  return c.json({ success: true as const, data: posts.map(toOlderItem), meta }, 200);
});

const get = apiRoute({
  method: "get",
  path: "/posts/{id}",
  tags: ["Posts (older)"],
  operationId: "getPost",
  summary: "Read one post in the older form",
  scope: "posts:read",
  limit: "read:posts",
  request: { params: idParams },
  responses: {
    ...json(z.object({ success: yes, data: olderPostSchema }), "The post."),
    ...NOT_FOUND,
  },
});
lifecycleRoutes.openapi(get, async (c) => {
  const id = readNumericId(c.req.valid("param").id, "Post");
  const post = await getOlderPost(c.var.ctx, id);
  return c.json({ success: true as const, data: toOlderPost(post) }, 200);
});
