import * as z from "zod";
import { FAILURE_CODES, NEXT_ACTIONS, toFailureObject } from "../../core/failures.ts";
import { reviewPath } from "../../core/link-token.ts";
import { PLATFORMS } from "../../core/platforms.ts";
import { parseInstant } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { enableDescriptions } from "../../http/describing.ts";
import { connectors } from "../../platforms/registry.ts";
import { mediaPath } from "../media/address.ts";
import { downloadOf } from "./files.ts";
import { jobIdOf, PHASES, progressOf, UPLOAD_STATUSES } from "./rules.ts";
import type { ReviewLinkRef, UploadRecord, UploadWithAccount } from "./table.ts";
import { MAX_DESCRIPTION_CHARACTERS, MAX_TITLE_CHARACTERS } from "./text-bounds.ts";
import { versionOf } from "./version.ts";

enableDescriptions();

const OFFSET_NEEDED = "must be ISO 8601 with an offset, such as 2026-12-01T09:00:00Z";

const instant = z.string().transform((text, ctx) => {
  const at = parseInstant(text);
  if (at) return at;
  ctx.addIssue({ code: "custom", message: OFFSET_NEEDED });
  return z.NEVER;
});

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be from ${min} to ${max}`);

const MAX_PAGE = 1_000_000;
/** Source: spec, "Other": list limit max 1000. */
export const MAX_LIMIT = 1_000;

export const uploadFilterSchema = z.object({
  status: z
    .enum(UPLOAD_STATUSES, { error: `must be one of ${UPLOAD_STATUSES.join(", ")}` })
    .optional()
    .describe("Uploads in this state."),
  platform: z
    .enum(PLATFORMS, { error: `must be one of ${PLATFORMS.join(", ")}` })
    .optional()
    .describe("Uploads of one platform."),
  search: z.string().max(1_000).optional().describe("Text in the title or description."),
  startDate: instant
    .optional()
    .openapi({ type: "string", format: "date-time" })
    .describe("Earliest planned date, else date of creation."),
  endDate: instant
    .optional()
    .openapi({ type: "string", format: "date-time" })
    .describe("Latest planned date, else date of creation."),
  limit: wholeNumber(1, MAX_LIMIT)
    .default(100)
    .openapi({ type: "integer", minimum: 1, maximum: MAX_LIMIT, default: 100 })
    .describe("Uploads on a page."),
  page: wholeNumber(1, MAX_PAGE)
    .default(1)
    .openapi({ type: "integer", minimum: 1, maximum: MAX_PAGE, default: 1 })
    .describe("Number of the page, from 1."),
});

/** `accountId` is no parameter of the API: agents filter by it. */
export type UploadFilter = z.infer<typeof uploadFilterSchema> & { accountId?: string | undefined };

/** A text with its bound, which `boundErrors` holds: it counts characters, the schema's own check units. */
const textUpTo = (most: number) => z.string({ error: "must be text" }).openapi({ maxLength: most });

export const titleText = textUpTo(MAX_TITLE_CHARACTERS);
export const descriptionText = textUpTo(MAX_DESCRIPTION_CHARACTERS);

/** The platforms whose posts have their text in this field. */
const textOn = (field: "title" | "description"): string =>
  connectors()
    .flatMap(({ platform, capabilities }) => (capabilities.textField === field ? [platform] : []))
    .join(", ");

/** The fields of every post. The platforms' own fields are beside them: see `uploadFormSchema`. */
export const postFieldsSchema = z.object({
  title: titleText
    .optional()
    .describe(`The text of a post on ${textOn("title")}; elsewhere a title or a label of yours.`),
  description: descriptionText
    .optional()
    .describe(`The text of a post on ${textOn("description")}; elsewhere it goes with the title.`),
  schedule_date: instant
    .optional()
    .openapi({ type: "string", format: "date-time" })
    .describe("When to publish: ISO 8601 with an offset, in the future and within 6 months."),
  status: z
    .enum(["draft", "pending_approval"], { error: "must be draft or pending_approval" })
    .optional(),
});

const dateTime = z.iso.datetime();

/** An extension. */
export const versionText = z
  .string()
  .describe(
    "Names the text, files, account, settings and date that the post has now. Approving names it, so that what was read is what goes out. An extension.",
  );

const failureSchema = z
  .object({
    code: z.enum(FAILURE_CODES),
    retryable: z.boolean(),
    nextAction: z.enum(NEXT_ACTIONS),
  })
  .meta({ id: "Failure" });

/** A union, because `nullable()` would make the named schema itself so. */
const failureOrNull = z.union([failureSchema, z.null()]);

export const warningsSchema = z
  .array(z.string())
  .describe(
    "Texts of the post that the platform will not show, as the review page names them. Absent where it shows all.",
  );

export const createdUploadSchema = z.object({
  uploadId: z.number().int(),
  status: z.enum(UPLOAD_STATUSES),
  jobId: z.string(),
  scheduledFor: dateTime.nullable(),
  failure: failureOrNull.optional().describe("With async=false only."),
  errorMessage: z.string().nullable().optional().describe("With async=false only."),
  warnings: warningsSchema.optional(),
});

export const uploadSchema = z
  .object({
    id: z.number().int(),
    title: titleText.nullable(),
    description: descriptionText.nullable(),
    platform: z.enum(PLATFORMS),
    status: z.enum(UPLOAD_STATUSES),
    version: versionText,
    createdAt: dateTime,
    uploadedAt: dateTime.nullable(),
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

const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

export const toFailure = (upload: UploadRecord) =>
  upload.status === "failed" && upload.failureCode ? toFailureObject(upload.failureCode) : null;

export function toCreatedUpload(upload: UploadRecord): z.infer<typeof createdUploadSchema> {
  return {
    uploadId: upload.id,
    status: upload.status,
    jobId: jobIdOf(upload.id, upload.attempt),
    scheduledFor: iso(upload.scheduledFor),
  };
}

/**
 * An upload on the wire. Files have signed addresses of ours under `origin`; of those that are gone,
 * the thumbnail has, where it was kept.
 */
export async function toUpload(
  deps: Pick<Deps, "config" | "now">,
  origin: string,
  { upload, account, reviewLink }: UploadWithAccount,
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
    createdAt: upload.createdAt.toISOString(),
    uploadedAt: iso(upload.uploadedAt),
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
