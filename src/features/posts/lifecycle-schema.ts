import * as z from "zod";
import { LOOK_FIRST } from "../../core/failures.ts";
import { PLATFORMS } from "../../core/platforms.ts";
import { parseInstant } from "../../core/time.ts";
import { enableDescriptions } from "../../http/describing.ts";
import { UPLOAD_STATUSES } from "./rules.ts";
import {
  descriptionText,
  titleText,
  uploadFilterSchema,
  versionText,
  warningsSchema,
} from "./schema.ts";
import type { OlderRecord, UploadRow } from "./table.ts";
import { versionOf } from "./version.ts";

enableDescriptions();

const dateTime = z.iso.datetime();
const status = z.enum(UPLOAD_STATUSES);
const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

const scheduledFor = z
  .string({ error: "must be ISO 8601 with an offset, such as 2026-12-01T09:00:00Z" })
  .transform((text, ctx) => {
    const at = parseInstant(text);
    if (at) return at;
    const message = "must be ISO 8601 with an offset, such as 2026-12-01T09:00:00Z";
    ctx.addIssue({ code: "custom", message });
    return z.NEVER;
  });

const edited = {
  title: titleText.nullable().optional(),
  description: descriptionText.nullable().optional(),
  scheduledFor: scheduledFor
    .optional()
    .openapi({ type: "string", format: "date-time" })
    .describe("When to publish: ISO 8601 with an offset, in the future and within 6 months."),
  status: z
    .string({ error: "must be text" })
    .optional()
    .openapi({ type: "string", enum: [...UPLOAD_STATUSES] })
    .describe(
      "May only repeat the post's present status. To change it, use submit, approve or DELETE.",
    ),
};

export const uploadEditSchema = z
  .strictObject(edited, {
    error: ({ code }) =>
      code === "unrecognized_keys"
        ? `cannot be edited; send ${Object.keys(edited).join(", ")}`
        : undefined,
  })
  .meta({ id: "UploadEdit" });

/** Beside the data of an answer, where a post came to be held by what was asked for. */
export const heldMessage = z
  .string()
  .optional()
  .describe("Only when the post is held for approval: what that means and what to do.");

export type UploadEdit = z.infer<typeof uploadEditSchema>;

export const editedUploadSchema = z.object({
  id: z.number().int(),
  title: titleText.nullable(),
  status,
  scheduledFor: dateTime.nullable(),
  warnings: warningsSchema.optional(),
  version: versionText,
});

export const toEditedUpload = async (
  upload: UploadRow,
): Promise<z.infer<typeof editedUploadSchema>> => ({
  id: upload.id,
  title: upload.title,
  status: upload.status,
  scheduledFor: iso(upload.scheduledFor),
  version: await versionOf(upload),
});

export const deletedUploadSchema = z.object({
  id: z.number().int(),
  status: status.describe(
    "`failed` for a cancelled post; for a removed one, the status that it had.",
  ),
});

export const retrySchema = z
  .strictObject({
    force: z
      .boolean({ error: "must be true or false" })
      .optional()
      .describe(
        `Retries even when failure.retryable is false. After platform_processing_timeout: ${LOOK_FIRST}`,
      ),
  })
  .meta({ id: "UploadRetry" });

export const retriedUploadSchema = z.object({
  uploadId: z.number().int(),
  status: z
    .enum(["pending", "pending_approval"])
    .describe("`pending_approval` when the retry has to be approved first."),
});

export const retryFilterSchema = z
  .strictObject({
    accountId: z.string({ error: "must be the id of an account" }).max(100).optional(),
    platform: uploadFilterSchema.shape.platform,
  })
  .meta({ id: "FailedUploadsRetry" });

export type RetryFilter = z.infer<typeof retryFilterSchema>;

/** Posts of one call. Spec is silent. */
export const MAX_RETRIED_AT_ONCE = 500;

export const retriedUploadsSchema = z.object({
  retried: z.array(z.number().int()).max(MAX_RETRIED_AT_ONCE),
  skipped: z
    .array(
      z.object({
        uploadId: z.number().int(),
        platform: z.enum(PLATFORMS),
        code: z
          .string()
          .describe(
            "The code with which a retry of this post alone would be refused; `duplicate_content` when another post has its text and files.",
          ),
        reason: z.string(),
      }),
    )
    .max(MAX_RETRIED_AT_ONCE),
});

export const limitsSchema = z
  .object({
    remaining: z.number().int(),
    limit: z.number().int().describe("Posts in any 24 hours."),
    resetAt: dateTime.describe(
      "When the oldest counted post is 24 hours old; now when none counts.",
    ),
  })
  .meta({ id: "AccountLimits" });

export const MAX_PER_PAGE = 100;
const perPageRange = `must be a whole number from 1 to ${MAX_PER_PAGE}`;

const OLDER_FILTERS = ["pending", "completed", "failed", "scheduled"] as const;

export const olderFilterSchema = z.object({
  page: uploadFilterSchema.shape.page,
  perPage: z
    .string()
    .regex(/^\d{1,9}$/, perPageRange)
    .transform(Number)
    .refine((value) => value >= 1 && value <= MAX_PER_PAGE, perPageRange)
    .default(20)
    .openapi({ type: "integer", minimum: 1, maximum: MAX_PER_PAGE, default: 20 })
    .describe("Posts on a page."),
  platform: uploadFilterSchema.shape.platform,
  status: z
    .enum(OLDER_FILTERS, { error: `must be one of ${OLDER_FILTERS.join(", ")}` })
    .optional()
    .describe("Posts in this state."),
});

export type OlderFilter = z.infer<typeof olderFilterSchema>;

/** Spec is silent: the older words know no `processing`; such a post is pending. */
const olderStatus = z
  .enum(["draft", "pending_approval", "scheduled", "pending", "completed", "failed"])
  .describe("A post that is being published is `pending`.");

export const olderItemSchema = z
  .object({
    id: z.number().int(),
    title: titleText.nullable(),
    platform: z.enum(PLATFORMS),
    status: olderStatus,
    uploadedAt: dateTime.nullable(),
    metadata: z
      .object({
        videoId: z.string(),
        shareUrl: z.string().nullable(),
        warnings: z.array(z.string()).optional(),
      })
      .nullable(),
  })
  .meta({ id: "OlderPost" });

export const olderPostSchema = z
  .object({
    id: z.number().int(),
    userId: z.number().int().nullable(),
    connectedAccountId: z.string(),
    platform: z.enum(PLATFORMS),
    title: titleText.nullable(),
    status: olderStatus,
    uploadedAt: dateTime.nullable(),
    metadata: z.string().describe("JSON; `{}` until the post is published."),
    fileSize: z.string().describe("Bytes, in digits."),
  })
  .meta({ id: "OlderPostDetail" });

export const toOlderItem = (post: OlderRecord): z.infer<typeof olderItemSchema> => ({
  id: post.id,
  title: post.title,
  platform: post.platform,
  status: post.statusGroup,
  uploadedAt: iso(post.uploadedAt),
  metadata: post.metadata,
});

export const toOlderPost = (post: OlderRecord): z.infer<typeof olderPostSchema> => ({
  id: post.id,
  userId: post.createdBy,
  connectedAccountId: post.accountId,
  platform: post.platform,
  title: post.title,
  status: post.statusGroup,
  uploadedAt: iso(post.uploadedAt),
  metadata: JSON.stringify(post.metadata ?? {}),
  fileSize: String(post.fileSize),
});
