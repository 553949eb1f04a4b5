import type { Platform } from "../../core/platforms.ts";
import { DAY, HOUR } from "../../core/time.ts";
import type { UploadStatus } from "../../core/upload-status.ts";
import { addDays, type LocalDay, type ZoneClock } from "../../core/zone.ts";

/** Spec is silent on these maximums. */
export const MAX_ENTRIES = 2_000;
export const MAX_DAYS = 62;
export const MAX_FEEDS = 50;
export const SHOWN_CHARACTERS = 140;

const CALENDAR_DAY = /^\d{4}-\d{2}-\d{2}$/;

export function readDay(text: string): string | null {
  const midnight = Date.parse(`${text}T00:00:00Z`);
  if (!CALENDAR_DAY.test(text) || Number.isNaN(midnight)) return null;
  return new Date(midnight).toISOString().startsWith(text) ? text : null;
}

/** An end of a range: the beginning of a day in the workspace's zone, or an instant. */
export type Edge = { day: LocalDay } | { at: Date };

export interface CalendarFilter {
  from: Edge;
  /** Not included. */
  to: Edge;
  accountId?: string | undefined;
  platform?: Platform | undefined;
  tag?: string | undefined;
  status?: UploadStatus | undefined;
}

export interface Range {
  /** Epoch ms, included. */
  from: number;
  /** Epoch ms, not included. */
  until: number;
}

/** Source: IANA time zone database, UTC+14 in Kiritimati. */
const WIDEST_OFFSET_MS = 14 * HOUR;

const inUtc = (edge: Edge): number =>
  "at" in edge ? edge.at.getTime() : Date.parse(`${edge.day}T00:00:00Z`);

const slackOf = (edge: Edge): number => ("at" in edge ? 0 : WIDEST_OFFSET_MS);

/** Holds the range whatever the workspace's zone. */
export const widestRange = ({ from, to }: CalendarFilter): Range => ({
  from: inUtc(from) - slackOf(from),
  until: inUtc(to) + slackOf(to),
});

const inZone = (edge: Edge, clock: ZoneClock): number =>
  "at" in edge ? edge.at.getTime() : clock.instantOf(edge.day, "00:00").at;

export const rangeIn = (clock: ZoneClock, { from, to }: CalendarFilter): Range => ({
  from: inZone(from, clock),
  until: inZone(to, clock),
});

export function rangeRefusal(from: Edge, to: Edge): string | null {
  const length = inUtc(to) - inUtc(from);
  if (length <= 0) return "must be after from";
  return length > MAX_DAYS * DAY ? `must be at most ${MAX_DAYS} days after from` : null;
}

export function daysOf(clock: ZoneClock, { from, until }: Range): LocalDay[] {
  const last = clock.dayAt(until - 1);
  const days: LocalDay[] = [];
  for (let day = clock.dayAt(from); day <= last; day = addDays(day, 1)) days.push(day);
  return days;
}

/** A month shows so many entries of a day. */
export const FIRSTS_PER_DAY = 3;

/** Instants between which a zone keeps its offset, and that offset in ms. */
export function spansOf(clock: ZoneClock, { from, until }: Range): [number, number, number][] {
  const spans: [number, number, number][] = [];
  for (let at = from; at < until; ) {
    const { offset, until: end } = clock.spanAt(at);
    spans.push([at, end, offset]);
    at = end;
  }
  return spans;
}

export const hasTag = (tags: string, tag: string): boolean =>
  tags
    .toLowerCase()
    .split(",")
    .some((one) => one.trim() === tag.toLowerCase());

/** Dates that PATCH /upload/{id} changes. */
export const isMovable = (status: UploadStatus): boolean =>
  status === "draft" ||
  status === "pending_approval" ||
  status === "scheduled" ||
  status === "pending";
