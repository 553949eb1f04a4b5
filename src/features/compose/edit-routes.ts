import * as z from "zod";
import { PLATFORM_ABSENT } from "../../http/answers.ts";
import { idParams, readNumericId } from "../../http/ids.ts";
import { only } from "../../http/methods.ts";
import { resultOf } from "../../http/named-call.ts";
import { optionalBody, withoutBody } from "../../http/optional-body.ts";
import {
  apiRoute,
  conflict,
  createRouter,
  errorSchema,
  jsonBody,
  NOT_FOUND,
  refusal,
  success,
} from "../../http/route.ts";
import { postWarnings, withWarnings } from "../content/as-published.ts";
import { deleteUpload } from "../ending/service.ts";
import { HELD_MESSAGE, messageIfHeld } from "../posts/rules.ts";
import { editUpload } from "./edit.ts";
import { writtenIn } from "./edited-texts.ts";
import { retryFailed, retryUpload } from "./retry.ts";
import {
  deletedUploadSchema,
  editedUploadSchema,
  heldMessage,
  retriedUploadSchema,
  retriedUploadsSchema,
  retryFilterSchema,
  retrySchema,
  toEditedUpload,
  uploadEditSchema,
} from "./schema.ts";

export const editRoutes = createRouter();

editRoutes.use("/upload/:id/retry", withoutBody);
editRoutes.use("/upload/retry-failed", withoutBody);
for (const action of ["retry-failed", "bulk", "validate", "presign", "import"]) {
  editRoutes.use(`/upload/${action}`, only("POST"));
}

const lockedSchema = errorSchema
  .extend({
    shareUrl: z
      .string()
      .nullable()
      .optional()
      .describe("With UPLOAD_LOCKED, for a published post: its address."),
  })
  .meta({ id: "LockedUpload" });

const edit = apiRoute({
  method: "patch",
  path: "/upload/{id}",
  tags: ["Uploads"],
  operationId: "updateUpload",
  summary: "Edit a post",
  description:
    "Changes texts, thread, first comment and date of a draft or a waiting post, or all but the date of a failed one. The text of a published post is changed at its platform, where that has a call for it (`editable` of the capabilities), for owners and admins, and for members whose posts need no approval on posts of their own that nobody approved. After a part failed, thread and first_comment change the texts of parts that are not out, and a retry sends them. A date turns a pending post into a scheduled one. When the caller may not approve (an owner or admin with posts:publish may), an edit sends a scheduled or pending post back to pending_approval, and `message` says what that means. A new text or date that makes the post a duplicate is refused (400, `violations`). The status cannot be changed here (USE_APPROVAL_ACTIONS).",
  scope: "posts:write",
  limit: "write",
  request: { params: idParams, body: jsonBody(uploadEditSchema) },
  responses: {
    ...success({ message: heldMessage, data: editedUploadSchema }, "The post as it is now."),
    ...NOT_FOUND,
    409: refusal(
      "UPLOAD_LOCKED: the post is being published, edited or taken down, or it is published and cannot be edited; the message then says what to do by hand. PLAN_LIMIT: the plan's posts of that month are used up. ACCOUNT_INACTIVE: reconnect the account of the published post first. ARCHIVED: the post ended long ago and is in the archive.",
      lockedSchema,
    ),
    ...PLATFORM_ABSENT,
  },
});
editRoutes.openapi(edit, async (c) => {
  const id = readNumericId(c.req.valid("param").id, "Upload");
  const edited = c.req.valid("json");
  const upload = await editUpload(c.var.ctx, id, edited);
  const heldNote = messageIfHeld(upload.status);
  const warnings = withWarnings(await postWarnings(c.var.ctx.config, upload, writtenIn(edited)));
  const data = { ...(await toEditedUpload(upload)), ...warnings };
  return c.json({ success: true as const, ...heldNote, data }, 200);
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
  request: { params: idParams, body: optionalBody(retrySchema) },
  responses: {
    ...success({ message: heldMessage, data: retriedUploadSchema }, "The post is queued."),
    ...NOT_FOUND,
    ...conflict(
      "NOT_FAILED, ALREADY_RETRYING, NOT_RETRYABLE (see force), ACCOUNT_INACTIVE, MEDIA_EXPIRED, DAILY_LIMIT, PLAN_LIMIT, QUEUE_FULL, QUEUE_BUSY or ARCHIVED.",
    ),
  },
});
editRoutes.openapi(retry, async (c) => {
  const id = readNumericId(c.req.valid("param").id, "Upload");
  const force = c.req.valid("json").force ?? false;
  const call = c.var.readCall();
  const retried = resultOf(c, await retryUpload(c.var.ctx, id, { force, call }));
  const heldNote = messageIfHeld(retried.status);
  return c.json({ success: true as const, ...heldNote, data: retried }, 200);
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
  responses: success(
    { message: heldMessage, data: retriedUploadsSchema },
    "The posts that were queued, and those that were not.",
  ),
});
editRoutes.openapi(retryAll, async (c) => {
  const { retried, skipped, isHeld } = await retryFailed(c.var.ctx, c.req.valid("json"));
  const skippedPosts = skipped.map(({ code, ...one }) => ({ ...one, code: code ?? "" }));
  const heldNote = isHeld ? { message: HELD_MESSAGE } : {};
  return c.json(
    { success: true as const, ...heldNote, data: { retried, skipped: skippedPosts } },
    200,
  );
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
    ...success(
      { message: z.string(), data: deletedUploadSchema },
      "The post, cancelled or removed.",
    ),
    ...NOT_FOUND,
    ...conflict(
      "NOT_CANCELLABLE: the post is published or being published. ARCHIVED: it ended long ago and is in the archive.",
    ),
  },
});

editRoutes.openapi(remove, async (c) => {
  const id = readNumericId(c.req.valid("param").id, "Upload");
  const { result, status } = await deleteUpload(c.var.ctx, id);
  const message = `The post has been ${result}.`;
  return c.json({ success: true as const, message, data: { id, status } }, 200);
});
