import * as z from "zod";
import { PLATFORMS } from "../../core/platforms.ts";
import { UPLOAD_STATUSES } from "../../core/upload-status.ts";
import { enableDescriptions } from "../../http/describing.ts";
import { DIALECTS } from "./dialects.ts";
import { type ImportOutcome, type ImportRow, MAX_POSTS } from "./service.ts";

enableDescriptions();

export const importFormSchema = z
  .object({
    file: z
      .string()
      .openapi({ type: "string", format: "binary" })
      .describe(
        "CSV in UTF-8 of at most 5 MB: a header and rows. The columns are the fields of POST /upload, with `account` (its id, or platform:handle; several separated by commas), `media` (addresses and mediaIds separated by spaces), `scheduledFor` and `importId` (a name under which the row is imported once, also from another file). The sheets of Ayrshare, Publer and Buffer are recognised by their header.",
      ),
    timezone: z
      .string()
      .optional()
      .openapi({ maxLength: 64 })
      .describe("IANA time zone of dates without an offset. Default: the workspace's, then UTC."),
    mapping: z
      .string()
      .optional()
      .openapi({ maxLength: 10_000 })
      .describe('JSON: our field → column of the file, such as {"description": "Text"}.'),
    account: z
      .string()
      .optional()
      .openapi({ maxLength: 10_000 })
      .describe("The accounts of rows that name none. An extension."),
    dryRun: z
      .string()
      .optional()
      .openapi({ type: "boolean", default: true })
      .describe("`false` creates the posts; otherwise every row is only judged."),
  })
  .meta({ id: "NewImport" });

const rowSchema = z
  .object({
    row: z.number().int().describe("As a spreadsheet numbers it: the header is row 1."),
    accountId: z.string().nullable(),
    platform: z.enum(PLATFORMS).nullable(),
    valid: z.boolean(),
    errors: z.array(
      z.object({ field: z.string().describe("Empty for the whole row."), message: z.string() }),
    ),
    warnings: z.array(z.string()),
    status: z.enum(UPLOAD_STATUSES).nullable(),
    scheduledFor: z.iso.datetime().nullable(),
    uploadId: z.number().int().nullable().describe("Null in a dry run and for a refused row."),
  })
  .meta({ id: "ImportedRow" });

export const importOutcomeSchema = {
  dryRun: z.boolean(),
  dialect: z.enum(DIALECTS).describe("`mapped`: only the mapping says what the columns are."),
  timezone: z.string().describe("The zone of dates without an offset."),
  columns: z.record(z.string(), z.string()).describe("The column of each field."),
  ignoredColumns: z.array(z.string()),
  rows: z
    .array(rowSchema)
    .max(MAX_POSTS)
    .describe("One for each row and account, in the order of the file."),
  created: z.number().int(),
  skipped: z.number().int().describe("Posts that an earlier call with the same row made."),
};

const toRow = ({ scheduledFor, text: _, ...row }: ImportRow) => ({
  ...row,
  scheduledFor: scheduledFor?.toISOString() ?? null,
});

export const toImportAnswer = (
  { zone: timezone, rows, ...outcome }: ImportOutcome,
  dryRun: boolean,
) => ({ success: true as const, dryRun, timezone, ...outcome, rows: rows.map(toRow) });
