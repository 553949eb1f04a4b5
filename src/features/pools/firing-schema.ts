import * as z from "zod";
import { enableDescriptions } from "../../http/describing.ts";

enableDescriptions();

const wholeNumber = (min: number, max: number, initial: number) =>
  z
    .string()
    .regex(/^\d{1,5}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be from ${min} to ${max}`)
    .default(initial)
    .openapi({ type: "integer", minimum: min, maximum: max, default: initial });

/** Spec is silent. */
const MAX_COUNT = 10_000;
const MAX_DAYS = 366;
const MAX_FIRINGS = 200;

export const countSchema = z.object({
  count: wholeNumber(0, MAX_COUNT, 1).describe("Items that would be added."),
});

export const previewSchema = z.object({
  days: wholeNumber(1, MAX_DAYS, 7).describe("Days to look ahead."),
});

const CURSOR = /^\d{1,15}-\d{1,15}$/;

export const firingPageSchema = z.object({
  limit: wholeNumber(1, MAX_FIRINGS, 50).describe("Firings on the page."),
  before: z
    .string()
    .max(40)
    .regex(CURSOR, "must be `nextBefore` of a page")
    .optional()
    .describe("`nextBefore` of the page before."),
});

export type FiringPage = z.output<typeof firingPageSchema>;

const queued = z.number().int().describe("Items in the queue.");
const daysOfContent = z
  .number()
  .nullable()
  .describe(
    "Days until a slot finds nothing to publish, a year at most where items repeat; null where no slot fires.",
  );

export const capacitySchema = z.object({
  success: z.literal(true),
  queued,
  slotsPerDay: z.number().describe("Firings of a week, divided by seven."),
  daysOfContent,
  publications: z
    .number()
    .int()
    .optional()
    .describe("Publications that the queue holds, repeats included; set where items repeat."),
  afterAdd: z.object({ queued, daysOfContent }),
  warning: z
    .string()
    .nullable()
    .describe(
      "Set when the queue would exceed the items that a pool holds, or its posts the plan's monthly quota.",
    ),
});

export type Capacity = Omit<z.infer<typeof capacitySchema>, "success">;

const wallTime = z.string().describe("Local time in the pool's zone, such as 2027-03-28T03:00.");
const offset = z.string().describe("The zone's offset from UTC at that instant.");
const rule = z
  .enum(["skipped_hour", "repeated_hour"])
  .nullable()
  .describe("The reason for an unusual time, on a day when the clocks change.");
const item = z.object({ id: z.number().int(), title: z.string() }).nullable();

const comingItem = z
  .object({
    id: z.number().int(),
    title: z.string(),
    turn: z
      .object({
        number: z.number().int().describe("1 for the first publication."),
        of: z.number().int().describe("Publications in total."),
        variant: z
          .number()
          .int()
          .nullable()
          .describe("Index in `variants`; null for the item's own text."),
        text: z.string().describe("The text that the post would have, up to 200 characters."),
      })
      .optional()
      .describe("Set for an item with `repeat`."),
  })
  .nullable();

export const comingFiringSchema = z
  .object({
    slotId: z.string(),
    at: z.iso.datetime(),
    wallTime,
    offset,
    rule,
    item: comingItem.describe(
      "The item that would be published; null when the queue has none by then.",
    ),
  })
  .meta({ id: "ComingFiring" });

export type ComingFiring = z.infer<typeof comingFiringSchema>;

export const firingSchema = z
  .object({
    slotId: z.string(),
    at: z.iso.datetime(),
    wallTime,
    offset,
    rule,
    outcome: z
      .enum(["running", "dispatched", "skipped", "empty", "missed"])
      .describe("`running`: its posts are on their way."),
    reason: z
      .string()
      .nullable()
      .describe("The reason when nothing was published, or not on every account."),
    item: item.describe("The item that the firing took."),
    uploadIds: z.array(z.number().int()).describe("The posts that were made."),
  })
  .meta({ id: "Firing" });

export type PastFiring = z.infer<typeof firingSchema>;
