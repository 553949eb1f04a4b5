import * as z from "zod";
import { LOOK_FIRST } from "../../core/failures.ts";
import { PLATFORMS } from "../../core/platforms.ts";
import { UPLOAD_STATUSES } from "../../core/upload-status.ts";
import { enableDescriptions } from "../../http/describing.ts";
import {
  altText,
  descriptionText,
  failureOrNull,
  instantIn,
  MAX_FILES,
  OFFSET_NEEDED,
  partFields,
  platformFilter,
  titleText,
  versionText,
  warningsSchema,
} from "../content/schema.ts";
import { versionOf } from "../content/version.ts";
import { jobIdOf } from "../posts/rules.ts";
import type { UploadRecord, UploadRow } from "../posts/table.ts";

enableDescriptions();

const dateTime = z.iso.datetime();
const status = z.enum(UPLOAD_STATUSES);
const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

export const createdUploadSchema = z.object({
  uploadId: z.number().int(),
  status,
  jobId: z.string(),
  scheduledFor: dateTime.nullable(),
  failure: failureOrNull.optional().describe("With async=false only."),
  errorMessage: z.string().nullable().optional().describe("With async=false only."),
  warnings: warningsSchema.optional(),
});

export function toCreatedUpload(upload: UploadRecord): z.infer<typeof createdUploadSchema> {
  return {
    uploadId: upload.id,
    status: upload.status,
    jobId: jobIdOf(upload.id, upload.attempt),
    scheduledFor: iso(upload.scheduledFor),
  };
}

const edited = {
  title: titleText.nullable().optional(),
  description: descriptionText.nullable().optional(),
  media: z
    .array(z.strictObject({ altText: altText.nullable().optional() }), {
      error: "must be an array with an object for each file",
    })
    .max(MAX_FILES)
    .optional()
    .describe(
      'The alternative text of each file, in the order of the post, such as [{"altText":"A red door"}]. null removes a text; a file without altText keeps its own.',
    ),
  ...partFields,
  scheduledFor: instantIn(z.string({ error: OFFSET_NEEDED }))
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
    .enum(["pending", "pending_approval", "processing"])
    .describe(
      "`pending_approval` when the retry has to be approved first; `processing` when it goes on with the parts of a published post.",
    ),
});

export const retryFilterSchema = z
  .strictObject({
    accountId: z.string({ error: "must be the id of an account" }).max(100).optional(),
    platform: platformFilter,
  })
  .meta({ id: "FailedUploadsRetry" });

export type RetryFilter = z.infer<typeof retryFilterSchema>;

/** Spec is silent. */
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

export const deletedUploadSchema = z.object({
  id: z.number().int(),
  status: status.describe(
    "`failed` for a cancelled post; for a removed one, the status that it had.",
  ),
});
