import * as z from "zod";
import { AppError, toFieldErrors } from "../../core/errors.ts";
import { enableDescriptions } from "../../http/describing.ts";
import { type DeclaredFile, ROUTE_NAMES } from "./rules.ts";

enableDescriptions();

/** Spec is silent: most file systems allow 255. */
const MAX_NAME_CHARACTERS = 255;
/** Bounds parsing only; each route has a lower limit. */
const MAX_FILES = 1_000;
const MIME = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

const file = z.object({
  name: z.string().min(1).max(MAX_NAME_CHARACTERS).describe("Your own name for the file."),
  size: z
    .number()
    .int()
    .positive()
    .openapi({ maximum: Number.MAX_SAFE_INTEGER })
    .describe("Exact length in bytes."),
  type: z.string().max(300).describe("MIME type; parameters are dropped."),
});

export const presignSchema = z
  .object({
    route: z
      .string()
      .max(100)
      .describe(
        `Selects the limits, nothing else: a file can be published to any account. One of ${ROUTE_NAMES.join(", ")}.`,
      ),
    files: z.array(file).min(1).max(MAX_FILES),
  })
  .meta({ id: "Presign" });

export interface PresignRequest {
  route: string;
  files: DeclaredFile[];
}

/** @throws AppError INVALID_JSON, or INVALID_REQUEST with every refused field */
export function readPresignRequest(bytes: Uint8Array): PresignRequest {
  const read = presignSchema.safeParse(parse(bytes));
  if (!read.success) throw invalid(toFieldErrors(read.error));
  const files = read.data.files.map(({ name, size, type }) => ({
    name,
    sizeBytes: size,
    mime: (type.split(";")[0] ?? "").trim().toLowerCase(),
  }));
  const wrong = files.findIndex(({ mime }) => !MIME.test(mime));
  if (wrong >= 0) {
    const field = `files.${wrong}.type`;
    throw invalid([{ field, message: `${field}: must be a MIME type, such as video/mp4` }]);
  }
  return { route: read.data.route, files };
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    throw new AppError("INVALID_JSON", "The request body is not valid JSON.");
  }
}

const invalid = (errors: ReturnType<typeof toFieldErrors>): AppError =>
  new AppError("INVALID_REQUEST", errors[0]?.message ?? "The request is not valid.", {
    extras: { errors },
  });

const bytes = z.number().int().nonnegative();

export const usageSchema = z
  .object({
    used: bytes,
    allowance: bytes.nullable().describe("Null: unlimited."),
    remaining: bytes.nullable().describe("Null: unlimited."),
    unlimited: z.boolean(),
  })
  .describe("Bytes presigned by the team in the last 30 days, these files included.")
  .meta({ id: "PresignUsage" });

export const limitsSchema = z
  .object({
    maxFiles: z.number().int(),
    maxSize: z.number().int().describe("Bytes per file."),
    types: z.array(z.string()),
  })
  .meta({ id: "PresignLimits" });

const common = {
  name: z.string(),
  size: z.number().int(),
  type: z.string(),
  bucketUrl: z
    .url()
    .describe("Publish the file by this address: the best for videos. Nobody can fetch it there."),
  accessUrl: z.url().describe("The same file for everybody who knows the address."),
};

const part = z.object({
  partNumber: z.number().int(),
  uploadUrl: z.url(),
  size: z.number().int().describe("The exact Content-Length of the PUT."),
});

export const presignedFileSchema = z
  .union([
    z.object({
      ...common,
      multipart: z.object({
        parts: z.array(part),
        partSize: z.number().int(),
        completeUrl: z.url().describe("POST the list of parts here, within 6 hours."),
        abortUrl: z.url().describe("DELETE this when you give up."),
      }),
    }),
    z.object({
      ...common,
      uploadUrl: z.url().describe("PUT the whole file here, within an hour."),
      uploadHeaders: z
        .record(z.string(), z.string())
        .describe("Send exactly these; they are signed."),
    }),
  ])
  .meta({ id: "PresignedFile" });

export type PresignedFile = z.infer<typeof presignedFileSchema>;
