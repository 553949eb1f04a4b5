import { DAY } from "../../../core/time.ts";

/** UTC days since 1970. */
export type DayNumber = number;

export const dayOf = (ms: number): DayNumber => Math.floor(ms / DAY);

export const toDate = (day: DayNumber): string => new Date(day * DAY).toISOString().slice(0, 10);

export const monthOf = (day: DayNumber): string => toDate(day).slice(0, 7);
