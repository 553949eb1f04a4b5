import * as z from "zod";
import { PLATFORMS } from "../../core/platforms.ts";
import { BROKEN_TEXT, isBrokenText, nullIfBlank } from "../../core/text.ts";
import { DAY } from "../../core/time.ts";
import { enableDescriptions } from "../../http/describing.ts";
import { PERIODS, SPLITS } from "../analytics/period.ts";
import { toDate } from "../analytics/rules/days.ts";
import {
  DEFAULT_DAYS,
  DEFAULT_OPEN_DAYS,
  MAX_OPEN_DAYS,
  MAX_REPORTS,
  MAX_TITLE,
  toDayNumber,
} from "./rules.ts";
import type { ReportRow } from "./table.ts";

enableDescriptions();

const days = z
  .literal([...PERIODS], { error: `must be one of ${PERIODS.join(", ")}` })
  .openapi({ type: "integer", enum: [...PERIODS], minimum: PERIODS[0], maximum: 365 });
const split = z.enum(SPLITS);
const platform = z.enum(PLATFORMS, { error: `must be one of ${PLATFORMS.join(", ")}` });

const shortText = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => !isBrokenText(text), BROKEN_TEXT);

const MAX_FILTER = 200;

export const newReportSchema = z
  .strictObject({
    title: shortText(MAX_TITLE)
      .transform((text) => nullIfBlank(text.trim()))
      .optional()
      .describe("The heading of the page."),
    days: days.default(DEFAULT_DAYS).describe("Length of the period."),
    lastDay: z
      .string()
      .transform((text, ctx) => {
        const day = toDayNumber(text);
        if (day !== null) return day;
        ctx.addIssue({ code: "custom", message: "must be a date such as 2026-11-30" });
        return z.NEVER;
      })
      .openapi({ type: "string", format: "date", maxLength: 10 })
      .optional()
      .describe(
        "Fixes the period by its last day, in UTC. Without it, the period ends on the day before the page is opened.",
      ),
    accountId: shortText(MAX_FILTER).optional().describe("The figures of this account only."),
    platform: platform.optional(),
    tag: shortText(MAX_FILTER)
      .trim()
      .optional()
      .describe("The figures of accounts with this tag only."),
    split: split.default("none").describe("What has a line of its own in the charts."),
    expiresInDays: z.number().int().min(1).max(MAX_OPEN_DAYS).default(DEFAULT_OPEN_DAYS),
  })
  .meta({ id: "NewReport" });

export const reportSchema = z
  .object({
    id: z.number().int(),
    title: z.string().nullable(),
    days,
    lastDay: z.iso.date().nullable().describe("Null where the period moves on."),
    accountId: z.string().nullable(),
    platform: platform.nullable(),
    tag: z.string().nullable(),
    split,
    createdBy: z.number().int().describe("The person who made it, with whose membership it ends."),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: "Report" });

export const reportListSchema = z.object({
  success: z.literal(true),
  data: z.array(reportSchema).max(MAX_REPORTS),
});

export const madeReportSchema = reportSchema
  .extend({ url: z.string().describe("The secret address: send it to the client.") })
  .meta({ id: "MadeReport" });

type NewReport = z.output<typeof newReportSchema>;

export const toNewReport = ({ title, lastDay, expiresInDays, ...input }: NewReport) => ({
  title: title ?? null,
  lastDay: lastDay ?? null,
  openMs: expiresInDays * DAY,
  filter: {
    days: input.days,
    split: input.split,
    account: input.accountId ?? "",
    platform: input.platform ?? "",
    tag: input.tag ?? "",
  },
});

const emptyToNull = (text: string): string | null => (text === "" ? null : text);

export const toReport = (row: ReportRow): z.infer<typeof reportSchema> => ({
  id: row.id,
  title: row.title,
  days: row.filter.days,
  lastDay: row.lastDay === null ? null : toDate(row.lastDay),
  accountId: emptyToNull(row.filter.account),
  platform: PLATFORMS.find((name) => name === row.filter.platform) ?? null,
  tag: emptyToNull(row.filter.tag),
  split: row.filter.split,
  createdBy: row.createdBy,
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
});
