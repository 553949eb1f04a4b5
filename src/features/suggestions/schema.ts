import * as z from "zod";
import { BROKEN_TEXT, isBrokenText } from "../../core/text.ts";
import { enableDescriptions } from "../../http/describing.ts";
import { SUGGESTION_STATUSES, type suggestions } from "./table.ts";

enableDescriptions();

/** Spec is silent. */
export const MAX_TITLE = 200;
export const MAX_BODY = 5_000;
const MAX_PAGE = 100;

const text = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .refine((value) => !isBrokenText(value), BROKEN_TEXT);

export const newSuggestionSchema = z
  .strictObject({ title: text(MAX_TITLE).min(1), body: text(MAX_BODY).default("") })
  .meta({ id: "NewSuggestion" });

export type NewSuggestion = z.output<typeof newSuggestionSchema>;

const wholeNumber = (max: number) =>
  z
    .string()
    .regex(/^[1-9]\d{0,14}$/, `must be a whole number from 1 to ${max}`)
    .transform(Number)
    .refine((value) => value <= max, `must be from 1 to ${max}`);

export const suggestionPageSchema = z.object({
  limit: wholeNumber(MAX_PAGE)
    .default(MAX_PAGE)
    .openapi({ type: "integer", minimum: 1, maximum: MAX_PAGE, default: MAX_PAGE })
    .describe("Suggestions on a page."),
  before: wholeNumber(Number.MAX_SAFE_INTEGER)
    .optional()
    .openapi({ type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
    .describe("Suggestions older than the one with this id: `nextBefore` of the page before."),
});

export type SuggestionPage = z.output<typeof suggestionPageSchema>;

export const suggestionSchema = z
  .object({
    id: z.number().int(),
    title: z.string(),
    body: z.string(),
    status: z.enum(SUGGESTION_STATUSES),
    userId: z.number().int().describe("The person who made it."),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: "Suggestion" });

export function toSuggestion(
  row: typeof suggestions.$inferSelect,
): z.infer<typeof suggestionSchema> {
  const { teamId: _, createdAt, updatedAt, ...rest } = row;
  return { ...rest, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}
