import * as z from "zod";
import { formatCount } from "../../core/counts.ts";
import { type FieldError, fieldError, toFieldErrors } from "../../core/errors.ts";
import { nullIfBlank } from "../../core/text.ts";
import { enableDescriptions } from "../../http/describing.ts";
import { MAX_DESCRIPTION_CHARACTERS, MAX_TITLE_CHARACTERS } from "../content/bounds.ts";
import { partFields } from "../content/schema.ts";
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

const wholeNumber = ({ min, max }: { min: number; max: number }) => {
  const error = `must be a whole number from ${formatCount(min)} to ${formatCount(max)}`;
  return z.number({ error }).int({ error }).min(min, { error }).max(max, { error });
};

const refuseOthers =
  (names: string) =>
  ({ code }: { code?: string }): string =>
    code === "unrecognized_keys"
      ? `is not a field of repeat; send ${names}`
      : 'must be an object, such as {"every":{"days":30},"times":6}';

export const repeatSchema = z
  .strictObject(
    {
      every: z.strictObject(
        {
          days: wholeNumber({ min: 1, max: MAX_REPEAT_DAYS }).describe(
            "Days between publications.",
          ),
        },
        { error: refuseOthers("days") },
      ),
      times: wholeNumber(REPEAT_TIMES).describe(
        "How often the item is published in total, the first time included.",
      ),
    },
    { error: refuseOthers("every, times") },
  )
  .describe(REPEAT);

const TEXT_LIST = `must be an array of 1 to ${MAX_VARIANTS} texts`;

export const variantsSchema = z
  .array(
    z
      .string({ error: "must be text" })
      .max(MAX_DESCRIPTION_CHARACTERS)
      .refine((text) => nullIfBlank(text) !== null, "must not be empty"),
    { error: TEXT_LIST },
  )
  .min(1, { error: TEXT_LIST })
  .max(MAX_VARIANTS, { error: TEXT_LIST })
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
    title: z
      .string()
      .max(MAX_TITLE_CHARACTERS)
      .refine((text) => nullIfBlank(text) !== null, "must not be empty"),
    description: z.string().max(MAX_DESCRIPTION_CHARACTERS).nullable(),
    ...partFields,
  })
  .partial()
  .refine(
    (change) => Object.values(change).some((value) => value !== undefined),
    "Name one field to change, at least.",
  )
  .meta({ id: "PoolItemChange" });

export const itemMoveSchema = z
  .strictObject({
    before: z
      .number({ error: "must be the id of an item, or null for the end" })
      .int()
      .min(0)
      .nullable()
      .describe("Id of the queued item that comes right after it then; null for the end."),
  })
  .meta({ id: "PoolItemMove" });

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
