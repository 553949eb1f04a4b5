import * as z from "zod";
import { enableDescriptions } from "../../http/describing.ts";
import { wholeNumber } from "../../http/whole-number.ts";

enableDescriptions();

/** Spec is silent. */
const MAX_LINES = 1_000;
const MAX_CURSOR = 500;

export const LINE_TYPES = [
  "team",
  "member",
  "invite",
  "token",
  "program",
  "app",
  "account",
  "suggestion",
  "block",
  "feed",
  "draft",
  "pool",
  "poolSlot",
  "poolItem",
  "poolFiring",
  "upload",
  "archivedUpload",
  "file",
  "creditPack",
  "creditMovement",
  "domain",
  "shortLink",
  "analytics",
  "measuredPost",
  "report",
  "rehearsal",
  "activity",
  "event",
] as const;

export const exportPageSchema = z.object({
  after: z
    .string()
    .max(MAX_CURSOR)
    .optional()
    .describe("`after` of the last line of the page before. Without it, the first page."),
  limit: wholeNumber(/^\d{1,4}$/, MAX_LINES, MAX_LINES).describe(
    "Lines of the page, at most, beside its last one.",
  ),
});

export type ExportPage = z.output<typeof exportPageSchema>;

export const exportLineSchema = z
  .object({
    type: z.enum([...LINE_TYPES, "next", "end"]),
    data: z.record(z.string(), z.unknown()).optional().describe("Absent in the last line."),
    after: z.string().optional().describe("In a line `next`: where the next page begins."),
  })
  .meta({ id: "ExportLine" });

export const deletionSchema = z
  .strictObject({ confirm: z.string().max(200).describe("The team's slug.") })
  .meta({ id: "TeamDeletion" });
