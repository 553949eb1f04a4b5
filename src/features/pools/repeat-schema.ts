import * as z from "zod";
import { type FieldError, fieldError, toFieldErrors } from "../../core/errors.ts";
import { nullIfBlank } from "../../core/text.ts";
import { enableDescriptions } from "../../http/describing.ts";
import { MAX_DESCRIPTION_CHARACTERS } from "../content/bounds.ts";
import {
  MAX_REPEAT_DAYS,
  MAX_VARIANT_CHARACTERS,
  MAX_VARIANTS,
  REPEAT_TIMES,
  type Repeat,
} from "./turns.ts";

enableDescriptions();

const REPEAT =
  "Publishes the item again and again: at most every `days` days, `times` times in total.";
const VARIANTS =
  "Other texts, which take turns after the item's own: each replaces the description, or the title of an item without one.";

export const repeatSchema = z
  .strictObject({
    every: z.strictObject({
      days: z.number().int().min(1).max(MAX_REPEAT_DAYS).describe("Days between publications."),
    }),
    times: z
      .number()
      .int()
      .min(REPEAT_TIMES.min)
      .max(REPEAT_TIMES.max)
      .describe("How often the item is published in total, the first time included."),
  })
  .describe(REPEAT);

export const variantsSchema = z
  .array(
    z
      .string()
      .max(MAX_DESCRIPTION_CHARACTERS)
      .refine((text) => nullIfBlank(text) !== null, "must not be empty"),
  )
  .min(1)
  .max(MAX_VARIANTS)
  .refine(
    (texts) => texts.join("").length <= MAX_VARIANT_CHARACTERS,
    `must have at most ${MAX_VARIANT_CHARACTERS} characters together`,
  )
  .describe(VARIANTS);

export const repeatFormFields = {
  repeat: z
    .string()
    .openapi({ maxLength: 1_000 })
    .optional()
    .describe(`JSON, such as {"every":{"days":30},"times":6}. ${REPEAT}`),
  variants: z
    .string()
    .openapi({ maxLength: 1_000_000 })
    .optional()
    .describe(`JSON array of up to ${MAX_VARIANTS} texts. Only with \`repeat\`. ${VARIANTS}`),
};

export const itemChangeSchema = z
  .strictObject({
    repeat: repeatSchema
      .nullable()
      .describe(
        `${REPEAT} null: an item that was published before goes once more, and does not return.`,
      ),
    variants: variantsSchema.nullable(),
  })
  .partial()
  .refine(
    ({ repeat, variants }) => repeat !== undefined || variants !== undefined,
    "Name one field to change, at least.",
  )
  .meta({ id: "PoolItemChange" });

export type ItemChange = z.output<typeof itemChangeSchema>;

interface Repeating {
  repeat: Repeat | null;
  variants: string[] | null;
}

const repeatingSchema = z.object({ repeat: repeatSchema, variants: variantsSchema }).partial();

export function readRepeating(fields: Record<keyof Repeating, string | null>): {
  read: Repeating;
  errors: FieldError[];
} {
  const errors: FieldError[] = [];
  const parsed: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(fields)) {
    if (text === null || text.trim() === "") continue;
    try {
      parsed[name] = JSON.parse(text);
    } catch {
      errors.push(fieldError(name, "is not valid JSON."));
    }
  }
  const { data, error } = repeatingSchema.safeParse(parsed);
  return {
    read: { repeat: data?.repeat ?? null, variants: data?.variants ?? null },
    errors: [...errors, ...(error ? toFieldErrors(error) : [])],
  };
}
