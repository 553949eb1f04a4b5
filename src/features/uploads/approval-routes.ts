import * as z from "zod";
import { idParams, readNumericId } from "../../http/ids.ts";
import { apiRoute, conflict, createRouter, json, jsonBody, NOT_FOUND } from "../../http/route.ts";
import { HELD_MESSAGE } from "./approval.ts";
import {
  approveOwnUpload,
  type Decided,
  MAX_COMMENT_CHARACTERS,
  requestOwnChanges,
  submitOwnUpload,
} from "./change/decide.ts";
import { UPLOAD_STATUSES } from "./rules.ts";

/** Routes by which a post comes to be approved. */
export const approvalRoutes = createRouter();

const yes = z.literal(true);
const tags = ["Uploads"];

const decidedSchema = z
  .object({
    uploadId: z.number().int(),
    status: z.enum(UPLOAD_STATUSES),
    scheduledFor: z.iso.datetime().nullable(),
  })
  .meta({ id: "DecidedUpload" });

const toData = ({ uploadId, status, scheduledFor }: Decided): z.infer<typeof decidedSchema> => ({
  uploadId,
  status,
  scheduledFor: scheduledFor?.toISOString() ?? null,
});

const submit = apiRoute({
  method: "post",
  path: "/upload/{id}/submit",
  tags,
  operationId: "submitUpload",
  summary: "Submit a draft for approval",
  description:
    "Everybody who can see the draft may submit it. It is checked like a new post. A post that already awaits approval stays as it is.",
  scope: "posts:write",
  limit: "write",
  request: { params: idParams },
  responses: {
    ...json(
      z.object({ success: yes, message: z.string(), data: decidedSchema }),
      "The post awaits approval. `message` says what that means.",
    ),
    ...NOT_FOUND,
    ...conflict(
      "NOT_REVIEWABLE: the post is no draft. ACCOUNT_INACTIVE: its account has been removed.",
    ),
  },
});
approvalRoutes.openapi(submit, async (c) => {
  const id = readNumericId(c.req.valid("param").id, "Upload");
  const data = toData(await submitOwnUpload(c.var.ctx, id));
  return c.json({ success: true as const, message: HELD_MESSAGE, data }, 200);
});

const approve = apiRoute({
  method: "post",
  path: "/upload/{id}/approve",
  tags,
  operationId: "approveUpload",
  summary: "Approve a post",
  description:
    "Owners and admins approve drafts and posts that await approval. A post with a date in the future is scheduled; any other goes out now. Approval holds for the text, files, account and settings as they are. From then on the post counts for the plan's month and for the queue. It is checked like a new post.",
  scope: "posts:publish",
  limit: "write",
  request: { params: idParams },
  responses: {
    ...json(
      z.object({ success: yes, data: decidedSchema }),
      "The post is `scheduled`, or `pending` where it goes out now.",
    ),
    ...NOT_FOUND,
    ...conflict(
      "NOT_REVIEWABLE: the post is in another state, such as approved already. POST_CHANGED: somebody changed it at the same moment. ACCOUNT_INACTIVE: reconnect the account first. DAILY_LIMIT: the account is at its daily cap; `error` says until when. PLAN_LIMIT: the month's posts or the X credits are used up. QUEUE_FULL or QUEUE_BUSY: too many posts in progress.",
    ),
  },
});
approvalRoutes.openapi(approve, async (c) => {
  const id = readNumericId(c.req.valid("param").id, "Upload");
  const data = toData(await approveOwnUpload(c.var.ctx, id));
  return c.json({ success: true as const, data }, 200);
});

const changeRequestSchema = z
  .strictObject({
    comment: z
      .string({ error: "must be text" })
      .openapi({ minLength: 1, maxLength: MAX_COMMENT_CHARACTERS })
      .describe("The changes that are wanted. The author reads them as `reviewComment`."),
  })
  .meta({ id: "ChangeRequest" });

const requestChanges = apiRoute({
  method: "post",
  path: "/upload/{id}/request-changes",
  tags,
  operationId: "requestUploadChanges",
  summary: "Send a post back to its author",
  description:
    "Owners and admins turn a post that awaits approval into a draft again, with a comment on what to change. The comment stays on the post until it is approved.",
  scope: "posts:publish",
  limit: "write",
  request: { params: idParams, body: jsonBody(changeRequestSchema) },
  responses: {
    ...json(z.object({ success: yes, data: decidedSchema }), "The post is a draft."),
    ...NOT_FOUND,
    ...conflict(
      "NOT_REVIEWABLE: the post does not await approval. POST_CHANGED: somebody changed it at the same moment.",
    ),
  },
});
approvalRoutes.openapi(requestChanges, async (c) => {
  const id = readNumericId(c.req.valid("param").id, "Upload");
  const { comment } = c.req.valid("json");
  const data = toData(await requestOwnChanges(c.var.ctx, id, comment));
  return c.json({ success: true as const, data }, 200);
});
