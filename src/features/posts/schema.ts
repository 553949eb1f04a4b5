import * as z from "zod";
import { reviewPath } from "../../core/link-token.ts";
import { MAX_LIMIT } from "../../core/pagination.ts";
import { PLATFORMS } from "../../core/platforms.ts";
import { UPLOAD_STATUSES } from "../../core/upload-status.ts";
import type { Deps } from "../../deps.ts";
import { enableDescriptions } from "../../http/describing.ts";
import { PART_KINDS } from "../../platforms/part-kinds.ts";
import { isMonth, NOT_A_MONTH } from "../archive/rules.ts";
import { downloadOf } from "../content/files.ts";
import {
  descriptionText,
  failureOrNull,
  instant,
  platformFilter,
  titleText,
  toFailure,
  versionText,
} from "../content/schema.ts";
import { versionOf } from "../content/version.ts";
import { mediaPath } from "../media/files.ts";
import { toPartAnswers } from "./parts.ts";
import { PHASES, progressOf } from "./rules.ts";
import type { OlderRecord, ReviewLinkRef, UploadRecord, UploadWithAccount } from "./table.ts";

enableDescriptions();

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be from ${min} to ${max}`);

const MAX_PAGE = 1_000_000;

export const uploadFilterSchema = z.object({
  status: z
    .enum(UPLOAD_STATUSES, { error: `must be one of ${UPLOAD_STATUSES.join(", ")}` })
    .optional()
    .describe("Uploads in this state."),
  platform: platformFilter,
  search: z.string().max(1_000).optional().describe("Text in the title or description."),
  startDate: instant
    .optional()
    .openapi({ type: "string", format: "date-time" })
    .describe("Earliest planned date, else date of creation."),
  endDate: instant
    .optional()
    .openapi({ type: "string", format: "date-time" })
    .describe("Latest planned date, else date of creation."),
  archived: z
    .string()
    .refine(isMonth, NOT_A_MONTH)
    .optional()
    .openapi({ type: "string", pattern: "^\\d{4}-(0[1-9]|1[0-2])$", example: "2025-03" })
    .describe(
      "The archived posts of this month, in UTC, in place of those in the database. Posts move into the archive 13 months after they ended, by whole months. An extension.",
    ),
  limit: wholeNumber(1, MAX_LIMIT)
    .default(100)
    .openapi({ type: "integer", minimum: 1, maximum: MAX_LIMIT, default: 100 })
    .describe("Uploads on a page."),
  page: wholeNumber(1, MAX_PAGE)
    .default(1)
    .openapi({ type: "integer", minimum: 1, maximum: MAX_PAGE, default: 1 })
    .describe("Number of the page, from 1."),
});

const dateTime = z.iso.datetime();

const partSchema = z
  .object({
    position: z.number().int().min(1),
    kind: z
      .enum(PART_KINDS)
      .describe("`post`: a further post of the thread. `comment`: the first comment."),
    status: z.enum(UPLOAD_STATUSES),
    text: z.string(),
    platformPostId: z.string().nullable(),
    shareUrl: z.string().nullable(),
    failure: failureOrNull,
    errorMessage: z.string().nullable(),
  })
  .meta({ id: "UploadPart" });

export const uploadSchema = z
  .object({
    id: z.number().int(),
    title: titleText.nullable(),
    description: descriptionText.nullable(),
    platform: z.enum(PLATFORMS),
    status: z.enum(UPLOAD_STATUSES),
    version: versionText,
    archived: z
      .string()
      .optional()
      .describe(
        "The month of the archive that has the post, such as 2025-03; left out for others. An archived post cannot be changed any more. An extension.",
      ),
    createdAt: dateTime,
    uploadedAt: dateTime.nullable(),
    unpublishedAt: dateTime
      .nullable()
      .describe("When the post was taken down from the platform again. An extension."),
    scheduledFor: dateTime.nullable(),
    thumbnailUrl: z.string().nullable(),
    videoUrl: z.string().nullable(),
    fileSize: z.string().describe("Bytes, in digits."),
    connectedAccount: z
      .object({
        id: z.string(),
        platform: z.enum(PLATFORMS),
        accountName: z.string(),
        profileImageUrl: z.string().nullable(),
        tags: z.string(),
      })
      .nullable(),
    metadata: z
      .object({
        videoId: z.string(),
        shareUrl: z.string().nullable(),
        warnings: z
          .array(z.string())
          .optional()
          .describe("Parts of the post that the platform did not take."),
      })
      .nullable()
      .describe("The published post on the platform: id, address and warnings."),
    errorMessage: z.string().nullable().describe("The platform's own wording; only on failure."),
    failure: failureOrNull,
    parts: z
      .array(partSchema)
      .optional()
      .describe(
        "What follows the post on the platform, in order; left out when nothing does. The post is `completed` when all parts have ended; POST /upload/{id}/retry goes on at the first that is not out. An extension.",
      ),
    reviewComment: z.string().nullable().describe("The note left when changes were requested."),
    fileDownload: z
      .object({
        state: z
          .enum(["waiting", "failed"])
          .describe("`failed`: submit the post again to download the file anew."),
        message: z.string().describe("Where the file stands, why, and what to do."),
      })
      .nullable()
      .describe(
        "Set while a draft or a post that awaits approval has files that are still to be downloaded, else null: it can be approved once they are stored. An extension.",
      ),
    reviewLink: z
      .object({ url: z.string(), expiresAt: dateTime })
      .optional()
      .describe(
        "The newest open link by which a client can review the post. Left out when there is none, and for callers who may not approve: everybody who opens the link can approve.",
      ),
    xCredits: z
      .object({
        spent: z.number().int(),
        refunded: z.number().int(),
        net: z.number().int(),
      })
      .nullable()
      .describe("On x only, over all attempts; null until the job has run."),
    progress: z
      .object({
        phase: z
          .enum(PHASES)
          .describe(
            "`sending`: the bytes are on their way. `publishing`: the call that makes the post. `processing`: the platform works on it.",
          ),
        sentBytes: z.number().int().describe("Never falls within an attempt."),
        totalBytes: z.number().int().describe("Size of all files of the post together."),
      })
      .nullable()
      .describe(
        "Set while the status is processing, else null. An extension. `sentBytes` does not move while a platform fetches the files itself or takes them in one piece.",
      ),
  })
  .meta({ id: "Upload" });

type Upload = z.infer<typeof uploadSchema>;

export const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

/** Signs file addresses under `origin`. A deleted file has only the address of a kept thumbnail. */
export async function toUpload(
  deps: Pick<Deps, "config" | "now">,
  origin: string,
  { upload, account, reviewLink, archived }: UploadWithAccount,
): Promise<Upload> {
  const files = upload.media.filter((item) => "sha256" in item);
  const version = await versionOf(upload);
  const image = files.find((item) => item.kind === "image");
  const video = files.find((item) => item.kind === "video");
  const address = async (sha256: string, variant: "original" | "thumbnail") =>
    origin + (await mediaPath(deps, upload.teamId, sha256, variant));
  return {
    id: upload.id,
    title: upload.title,
    description: upload.description,
    platform: upload.platform,
    status: upload.status,
    version,
    ...(archived ? { archived } : {}),
    createdAt: upload.createdAt.toISOString(),
    uploadedAt: iso(upload.uploadedAt),
    unpublishedAt: iso(upload.unpublishedAt),
    scheduledFor: iso(upload.scheduledFor),
    thumbnailUrl:
      image && (!image.isGone || image.hasThumbnail)
        ? await address(image.sha256, "thumbnail")
        : null,
    videoUrl: video && !video.isGone ? await address(video.sha256, "original") : null,
    fileSize: String(upload.fileSize),
    connectedAccount: account,
    metadata: upload.metadata,
    errorMessage: upload.status === "failed" ? upload.errorMessage : null,
    failure: toFailure(upload),
    ...(upload.parts ? { parts: toPartAnswers(upload) } : {}),
    reviewComment: upload.reviewComment,
    fileDownload: downloadOf(upload),
    ...(reviewLink && { reviewLink: await toReviewLink(deps, origin, reviewLink) }),
    xCredits: toXCredits(upload),
    progress: progressOf(upload),
  };
}

const toReviewLink = async (
  { config }: Pick<Deps, "config">,
  origin: string,
  { id, expiresAt }: ReviewLinkRef,
) => ({
  url: origin + (await reviewPath(config.signingKey, id)),
  expiresAt: expiresAt.toISOString(),
});

function toXCredits({ creditsSpent, creditsRefunded }: UploadRecord): Upload["xCredits"] {
  if (creditsSpent === null) return null;
  const refunded = creditsRefunded ?? 0;
  return { spent: creditsSpent, refunded, net: creditsSpent - refunded };
}

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
  platform: platformFilter,
  status: z
    .enum(OLDER_FILTERS, { error: `must be one of ${OLDER_FILTERS.join(", ")}` })
    .optional()
    .describe("Posts in this state."),
});

export type OlderFilter = z.infer<typeof olderFilterSchema>;

/** Spec is silent: the older operations show `processing` as pending. */
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
