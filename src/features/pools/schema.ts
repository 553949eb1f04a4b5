import * as z from "zod";
import { enableDescriptions } from "../../http/describing.ts";
import { MAX_ACCOUNTS } from "../content/bounds.ts";
import { zoneSchema } from "../settings/schema.ts";
import type { PoolWithSlots } from "./repo/pools.ts";
import { MAX_SLOTS } from "./rules.ts";
import type { SlotRow } from "./table.ts";

enableDescriptions();

const MAX_NAME = 200;
const MAX_ID = 100;

const name = z
  .string()
  .trim()
  .min(1, "is required")
  .max(MAX_NAME)
  .refine((text) => text.isWellFormed(), "has invalid characters");

const timezone = zoneSchema.openapi({ type: "string", maxLength: 64 });

const time = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a time of day from 00:00 to 23:59, as HH:MM")
  .openapi({ type: "string", maxLength: 5 });

const WEEK = 7;
const days = z
  .array(z.number().int().min(0).max(6))
  .min(1, "must name one day at least; 0 is Sunday")
  .max(WEEK)
  .transform((values) => [...new Set(values)].sort((a, b) => a - b))
  .openapi({
    type: "array",
    minItems: 1,
    maxItems: WEEK,
    items: { type: "integer", minimum: 0, maximum: 6 },
  });

const accountIds = z
  .array(z.string().min(1).max(MAX_ID))
  .min(1, "must name one account at least")
  .max(MAX_ACCOUNTS)
  .transform((values) => [...new Set(values)])
  .openapi({
    type: "array",
    minItems: 1,
    maxItems: MAX_ACCOUNTS,
    items: { type: "string", maxLength: MAX_ID },
  });

const slotFields = {
  time: time.describe("Local time of day, in the pool's time zone."),
  days: days.describe("Days of the week: 0 is Sunday, 6 is Saturday."),
  accountIds: accountIds.describe("Accounts of the team that each item is published to."),
};

export const newSlotSchema = z.strictObject(slotFields).meta({ id: "NewSlot" });
export type NewSlot = z.output<typeof newSlotSchema>;

const atLeastOne = (fields: object) => Object.values(fields).some((value) => value !== undefined);
const NOTHING = "Name one field to change, at least.";

export const slotChangeSchema = z
  .strictObject(slotFields)
  .partial()
  .refine(atLeastOne, NOTHING)
  .meta({ id: "SlotChange" });
export type SlotChange = z.output<typeof slotChangeSchema>;

export const newPoolSchema = z
  .strictObject({
    name,
    timezone: timezone.describe("IANA time zone, such as Europe/Berlin, of all its slots."),
    isActive: z.boolean().default(true).describe("`false`: its slots do not fire."),
    slots: z
      .array(z.strictObject(slotFields))
      .max(MAX_SLOTS)
      .default([])
      .describe("Slots to begin with."),
  })
  .meta({ id: "NewPool" });
export type NewPool = z.output<typeof newPoolSchema>;

export const poolChangeSchema = z
  .strictObject({ name, timezone, isActive: z.boolean() })
  .partial()
  .refine(atLeastOne, NOTHING)
  .meta({ id: "PoolChange" });
export type PoolChange = z.output<typeof poolChangeSchema>;

export const slotSchema = z
  .object({
    id: z.string(),
    time: z.string(),
    days: z.array(z.number().int()),
    accountIds: z.array(z.string()),
    nextAt: z.iso.datetime().nullable().describe("When it fires next; null while switched off."),
  })
  .meta({ id: "Slot" });

type ShownSlot = Pick<SlotRow, "id" | "time" | "days" | "accountIds" | "nextAt">;

export const toSlot = ({ id, time, days, accountIds, nextAt }: ShownSlot) => ({
  id: String(id),
  time,
  days,
  accountIds,
  nextAt: nextAt?.toISOString() ?? null,
});

export const poolSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    timezone: z.string(),
    isActive: z.boolean(),
    slots: z.array(slotSchema),
    _count: z.object({ items: z.number().int().describe("Items in the queue.") }),
  })
  .meta({ id: "Pool" });

export const toPool = ({ id, name, timezone, isActive, slots, queued }: PoolWithSlots) => ({
  id: String(id),
  name,
  timezone,
  isActive,
  slots: slots.map(toSlot),
  _count: { items: queued },
});
