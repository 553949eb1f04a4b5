import * as z from "zod";
import { invalidFields } from "../../core/errors.ts";
import { UPLOAD_STATUSES } from "../../core/upload-status.ts";
import { idParams, readNumericId } from "../../http/ids.ts";
import { optionalBody, withoutBody } from "../../http/optional-body.ts";
import {
  apiRoute,
  createRouter,
  errorSchema,
  jsonBody,
  NOT_FOUND,
  refusal,
  success,
} from "../../http/route.ts";
import { versionText } from "../content/schema.ts";
import { VERSION_PARTS } from "../content/version.ts";
import { HELD_MESSAGE } from "../posts/rules.ts";
import {
  approveOwnUpload,
  type Decided,
  MAX_COMMENT_CHARACTERS,
  requestOwnChanges,
  submitOwnUpload,
} from "./decide.ts";

export const approvalRoutes = createRouter();

const tags = ["Uploads"];

const decidedSchema = z
  .object({
    uploadId: z.number().int(),
    status: z.enum(UPLOAD_STATUSES),
    scheduledFor: z.iso.datetime().nullable(),
    version: versionText,
  })
  .meta({ id: "DecidedUpload" });

const toData = ({ uploadId, status, scheduledFor, version }: Decided) => ({
  uploadId,
  status,
  scheduledFor: scheduledFor?.toISOString() ?? null,
  version,
});

const notDecidedSchema = errorSchema
  .extend({
    changed: z
      .array(z.enum(VERSION_PARTS))
      .optional()
      .describe("With POST_CHANGED and VERSION_REQUIRED: what has changed, where that is known."),
  })
  .meta({ id: "NotDecided" });

const notDecided = (codes: string) => ({
  409: refusal(codes, notDecidedSchema, "Retry-After"),
});

const POST_CHANGED =
  "POST_CHANGED: the post is not, or not any more, the version that the call names, or somebody changed it at the same moment.";
const ARCHIVED = "ARCHIVED: the post ended long ago and is in the archive.";
const VERSION_REQUIRED =
  "VERSION_REQUIRED: the call names no version, and after the post was submitted, a person or token that may not approve it has edited it.";

const MAX_VERSION_CHARACTERS = 200;

const named = {
  version: z
    .string({ error: "must be the version of the post" })
    .min(1)
    .max(MAX_VERSION_CHARACTERS)
    .optional()
    .describe(
      "The `version` that was read: the call is refused for any other. The same as If-Match.",
    ),
};

const headers = z.object({
  "if-match": z
    .string()
    .max(MAX_VERSION_CHARACTERS)
    .optional()
    .describe("The ETag of GET /upload/{id}: the call is refused for any other version."),
});

const decisionSchema = z.strictObject(named).meta({ id: "UploadDecision" });

/** @throws AppError 400 for two different versions, or a header that is no strong ETag */
function versionNamed(header: string | undefined, version: string | undefined): string | undefined {
  // In HTTP, `*` matches any version.
  if (header === undefined || header.trim() === "*") return version;
  const tag = /^\s*"([\w-]+)"\s*$/.exec(header)?.[1];
  const refuse = (message: string) =>
    invalidFields([{ field: "If-Match", message: `If-Match: ${message}.` }]);
  if (tag === undefined) throw refuse("send the ETag of GET /upload/{id}, quotes included");
  if (version !== undefined && version !== tag) {
    throw refuse("names another version than the body; send one of them");
  }
  return tag;
}

for (const action of ["submit", "approve"]) {
  approvalRoutes.use(`/upload/:id/${action}`, withoutBody);
}

const submit = apiRoute({
  method: "post",
  path: "/upload/{id}/submit",
  tags,
  operationId: "submitUpload",
  summary: "Submit a draft for approval",
  description:
    "Everybody who can see the draft may submit it. It is checked like a new post. A post that already awaits approval stays as it is; files of it that could not be downloaded are tried again.",
  scope: "posts:write",
  limit: "write",
  request: { params: idParams, headers, body: optionalBody(decisionSchema) },
  responses: {
    ...success(
      { message: z.string(), data: decidedSchema },
      "The post awaits approval. `message` says what that means.",
    ),
    ...NOT_FOUND,
    ...notDecided(
      `NOT_REVIEWABLE: the post is no draft. ACCOUNT_INACTIVE: its account has been removed. ${POST_CHANGED} ${ARCHIVED}`,
    ),
  },
});
approvalRoutes.openapi(submit, async (c) => {
  const id = readNumericId(c.req.valid("param").id, "Upload");
  const version = versionNamed(c.req.header("if-match"), c.req.valid("json").version);
  const data = toData(await submitOwnUpload(c.var.ctx, id, version));
  return c.json({ success: true as const, message: HELD_MESSAGE, data }, 200);
});

const approve = apiRoute({
  method: "post",
  path: "/upload/{id}/approve",
  tags,
  operationId: "approveUpload",
  summary: "Approve a post",
  description:
    "Owners and admins approve drafts and posts that await approval. A post with a date in the future is scheduled; any other goes out now. Name the `version` that was read, as If-Match or in the body: then just that goes out, or nothing. Approval holds for the text, files, account and settings of that version. Files by URL are downloaded while the post waits, and the stored copies go out: until they are here, `fileDownload` says so and the post cannot be approved. From then on the post counts for the plan's month and for the queue. It is checked like a new post.",
  scope: "posts:publish",
  limit: "write",
  request: { params: idParams, headers, body: optionalBody(decisionSchema) },
  responses: {
    ...success(
      { data: decidedSchema },
      "The post is `scheduled`, or `pending` where it goes out now.",
    ),
    ...NOT_FOUND,
    ...notDecided(
      `NOT_REVIEWABLE: the post is in another state, such as approved already. ${ARCHIVED} ${POST_CHANGED} ${VERSION_REQUIRED} MEDIA_PENDING: a file of the post is still being downloaded; try again as Retry-After says. MEDIA_UNREACHABLE: a file could not be downloaded; the message says why, and submitting the post again tries once more. ACCOUNT_INACTIVE: reconnect the account first. DAILY_LIMIT: the account is at its daily cap; the message says until when. PLAN_LIMIT: the month's posts or the X credits are used up. QUEUE_FULL or QUEUE_BUSY: too many posts in progress.`,
    ),
  },
});
approvalRoutes.openapi(approve, async (c) => {
  const id = readNumericId(c.req.valid("param").id, "Upload");
  const version = versionNamed(c.req.header("if-match"), c.req.valid("json").version);
  const data = toData(await approveOwnUpload(c.var.ctx, id, version));
  return c.json({ success: true as const, data }, 200);
});

const changeRequestSchema = z
  .strictObject({
    comment: z
      .string({ error: "must be text" })
      .openapi({ minLength: 1, maxLength: MAX_COMMENT_CHARACTERS })
      .describe("The changes that are wanted. The author reads them as `reviewComment`."),
    ...named,
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
  request: { params: idParams, headers, body: jsonBody(changeRequestSchema) },
  responses: {
    ...success({ data: decidedSchema }, "The post is a draft."),
    ...NOT_FOUND,
    ...notDecided(
      `NOT_REVIEWABLE: the post does not await approval. ${ARCHIVED} ${POST_CHANGED} ${VERSION_REQUIRED}`,
    ),
  },
});
approvalRoutes.openapi(requestChanges, async (c) => {
  const id = readNumericId(c.req.valid("param").id, "Upload");
  const { comment, version } = c.req.valid("json");
  const seen = versionNamed(c.req.header("if-match"), version);
  const data = toData(await requestOwnChanges(c.var.ctx, id, comment, seen));
  return c.json({ success: true as const, data }, 200);
});
