import { isPaidPlan, type PlanFacts } from "../../core/cloudflare-plan.ts";
import { DAY } from "../../core/time.ts";

/** Of one database. Source: D1, "Limits": maximum database size. */
const LIMIT_BYTES = { paid: 10_000_000_000, free: 500_000_000 };

export const limitBytesOf = (config: PlanFacts): number =>
  isPaidPlan(config) ? LIMIT_BYTES.paid : LIMIT_BYTES.free;

export const dayOf = (at: Date): number => Math.floor(at.getTime() / DAY);

/** The growth over these days says when the database will be full. */
export const GROWTH_DAYS = 28;
/** Fewer days say nothing about a pace. */
const LEAST_DAYS = 7;

export interface MeasuredDay {
  day: number;
  sizeBytes: number;
}

interface Fill {
  sizeBytes: number;
  limitBytes: number;
}

/** Null while the pace is not known yet, and for a database that does not grow. */
export function fullInDays(
  { sizeBytes, limitBytes }: Fill,
  earlier: MeasuredDay | null,
  today: number,
): number | null {
  if (sizeBytes >= limitBytes) return 0;
  if (earlier === null || today - earlier.day < LEAST_DAYS) return null;
  const aDay = (sizeBytes - earlier.sizeBytes) / (today - earlier.day);
  return aDay > 0 ? Math.floor((limitBytes - sizeBytes) / aDay) : null;
}

/** Percent of the limit at which the owner gets a notice. */
const LEVELS = [90, 70] as const;

export type Level = (typeof LEVELS)[number] | 0;

/** A level ends only this many percent below it, so that a size that goes up and down makes one notice. */
const MARGIN = 5;

export function levelOf({ sizeBytes, limitBytes }: Fill, before: Level): Level {
  const percent = (100 * sizeBytes) / limitBytes;
  return LEVELS.find((level) => percent >= level - (level <= before ? MARGIN : 0)) ?? 0;
}

export interface DatabaseState extends Fill {
  fullInDays: number | null;
}

export function stateOf(
  config: PlanFacts,
  { sizeBytes, value: [earlier] }: { sizeBytes: number; value: readonly MeasuredDay[] },
  now: Date,
): DatabaseState {
  const fill = { sizeBytes, limitBytes: limitBytesOf(config) };
  return { ...fill, fullInDays: fullInDays(fill, earlier ?? null, dayOf(now)) };
}
