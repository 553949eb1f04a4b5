import * as z from "zod";
import { cleanFileName, MAX_FILE_NAME } from "../../core/file-name.ts";
import { PLATFORMS } from "../../core/platforms.ts";
import { isLongerThan } from "../../core/text.ts";
import { UPLOAD_STATUSES } from "../../core/upload-status.ts";
import type { Deps } from "../../deps.ts";
import { errorSchema } from "../../http/answers.ts";
import { enableDescriptions } from "../../http/describing.ts";
import { mediaPath } from "../media/files.ts";
import { OPEN_END } from "../media/repo.ts";
import { iso, uploadFilterSchema } from "../posts/schema.ts";
import type { FileItem, FileUse, LibraryFile } from "./repo.ts";

enableDescriptions();

export const MEDIA_KINDS = ["image", "video", "document"] as const;

/** Posts and items that an answer names. */
export const MAX_USES = 50;

export const cleanName = z
  .string()
  .transform((text, ctx) => {
    const name = cleanFileName(text);
    if (name && !isLongerThan(text, MAX_FILE_NAME)) return name;
    const message = name
      ? `must have at most ${MAX_FILE_NAME} characters.`
      : "must have at least one visible character.";
    ctx.addIssue({ code: "custom", message });
    return z.NEVER;
  })
  .openapi({ type: "string", minLength: 1, maxLength: MAX_FILE_NAME });

const onOff = z
  .enum(["true", "false"], { error: "must be true or false" })
  .transform((value) => value === "true")
  .optional()
  .openapi({ type: "boolean" });

export const fileFilterSchema = z.object({
  search: z.string().max(MAX_FILE_NAME).optional().describe("Text in the name."),
  kind: z
    .enum(MEDIA_KINDS, { error: `must be one of ${MEDIA_KINDS.join(", ")}` })
    .optional()
    .describe("Files of this kind."),
  kept: onOff.describe("Only files that are kept, or only the others."),
  page: uploadFilterSchema.shape.page,
  limit: uploadFilterSchema.shape.limit,
});

export const fileChangeSchema = z
  .strictObject({
    name: cleanName.optional().describe("A new name."),
    keep: z
      .boolean()
      .optional()
      .describe(
        "`true` keeps the file until it is removed or `keep` is taken off, which counts against the plan.",
      ),
  })
  .meta({ id: "MediaChange" });

export const newFileSchema = () =>
  z
    .object({
      file: z
        .string()
        .openapi({ type: "string", format: "binary" })
        .optional()
        .describe("An image, video or document under 100 MB."),
      url: z
        .string()
        .optional()
        .describe("In place of `file`: bucketUrl or accessUrl of POST /upload/presign."),
      name: cleanName
        .optional()
        .describe("Default: the name that the file has, or the name of the presigned upload."),
      keep: z
        .string()
        .optional()
        .openapi({ type: "boolean", default: false })
        .describe("Whether the file is kept until it is removed."),
    })
    .meta({ id: "NewMediaFile" });

const dateTime = z.iso.datetime();

const file = {
  mediaId: z.string().describe("Names the file in POST /upload and others: 64 letters and digits."),
  name: z.string().nullable(),
  kind: z.enum(MEDIA_KINDS),
  mime: z.string(),
  sizeBytes: z.number().int(),
  width: z.number().int().nullable(),
  height: z.number().int().nullable(),
  createdAt: dateTime,
  kept: z.boolean(),
  expiresAt: dateTime
    .nullable()
    .describe(
      "When the file may be removed, the night after; null while it is kept, or a post or pool waits with it.",
    ),
  posts: z.number().int().describe("Posts that have the file."),
  url: z.string().describe("A signed address, for some hours."),
  thumbnailUrl: z.string().nullable().describe("Null unless the file is an image."),
};

export const fileSchema = z.object(file).meta({ id: "MediaFile" });

const usesSchema = {
  usedBy: z
    .array(
      z
        .object({
          uploadId: z.number().int(),
          platform: z.enum(PLATFORMS),
          accountId: z.string(),
          status: z.enum(UPLOAD_STATUSES),
          scheduledFor: dateTime.nullable(),
        })
        .meta({ id: "MediaUse" }),
    )
    .max(MAX_USES)
    .describe(`Newest first, at most ${MAX_USES}.`),
  poolItems: z
    .array(
      z
        .object({ itemId: z.number().int(), poolId: z.number().int(), title: z.string() })
        .meta({ id: "MediaPoolItem" }),
    )
    .max(MAX_USES)
    .describe(`Items that wait in pools, newest first, at most ${MAX_USES}.`),
};

export const inUseSchema = errorSchema
  .extend({ usedBy: usesSchema.usedBy, poolItems: usesSchema.poolItems })
  .partial({ usedBy: true, poolItems: true })
  .meta({ id: "MediaInUse" });

export const fileDetailSchema = z
  .object({ ...file, ...usesSchema })
  .meta({ id: "MediaFileDetail" });

export const keptUsageSchema = z
  .object({
    used: z.number().int().describe("Bytes of all kept files."),
    allowance: z.number().int().nullable().describe("Null: unlimited."),
  })
  .meta({ id: "KeptUsage" });

/** Null while the file is kept or needed without an end. */
export function expiryOf({
  keptAt,
  isWaiting,
  uses,
  expiresAt,
  createdAt,
}: LibraryFile): Date | null {
  const [, until] = uses;
  if (keptAt || isWaiting || until === OPEN_END) return null;
  return new Date(Math.max(until ?? 0, expiresAt?.getTime() ?? 0, createdAt.getTime()));
}

export const keptLimitSchema = errorSchema
  .extend({ kept: keptUsageSchema.optional() })
  .meta({ id: "KeptLimit" });

export async function toFile(
  deps: Pick<Deps, "config" | "now">,
  origin: string,
  row: LibraryFile,
): Promise<z.infer<typeof fileSchema>> {
  const { teamId, sha256, kind, mime, sizeBytes, width, height, keptAt, uses } = row;
  const address = async (variant: "original" | "thumbnail") =>
    origin + (await mediaPath(deps, teamId, sha256, variant));
  return {
    mediaId: sha256,
    name: row.name === null ? null : cleanFileName(row.name),
    kind,
    mime,
    sizeBytes,
    width,
    height,
    createdAt: row.createdAt.toISOString(),
    kept: keptAt !== null,
    expiresAt: iso(expiryOf(row)),
    posts: uses[0],
    url: await address("original"),
    thumbnailUrl: kind === "image" ? await address("thumbnail") : null,
  };
}

export const toUse = ({ uploadId, platform, accountId, status, scheduledFor }: FileUse) => ({
  uploadId,
  platform,
  accountId,
  status,
  scheduledFor: iso(scheduledFor),
});

export const toItem = ({ itemId, poolId, title }: FileItem) => ({ itemId, poolId, title });
