import { DAY } from "../../core/time.ts";
import type { Click } from "../../queue/messages.ts";
import type { Counts, linkDays } from "./table.ts";

/** How long single clicks are kept. Spec is silent: their counts by day stay. */
export const CLICKS_KEPT_MS = 90 * DAY;
/**
 * Clicks of a link that are kept singly in a minute: those beyond it are counted alone. Spec is silent: a flood of
 * one link must not fill the database that all share. The trigger that stores clicks has the same number.
 */
export const MAX_KEPT_A_MINUTE = 100;
/** How long a message is known again. Source: Queues, "Limits": a message is kept for 4 days by default. */
export const MESSAGES_KNOWN_MS = 5 * DAY;
/** Clicks that are shown with a link. Spec is silent. */
export const MAX_SHOWN_CLICKS = 200;

/** The newest of these clicks, newest first. */
export const toClicks = (clicks: readonly Click[]) =>
  clicks
    .toSorted(([a], [b]) => b - a)
    .slice(0, MAX_SHOWN_CLICKS)
    .map(([at, country, device]) => ({ country, device, clickedAt: new Date(at).toISOString() }));

type Day = Pick<
  typeof linkDays.$inferSelect,
  "day" | "clicks" | "countries" | "devices" | "countedOnly"
>;

/** Counts clicks by day, country and device. @param days newest first */
export function toStatistics(days: readonly Day[]) {
  return {
    days: days.map(({ day, clicks }) => ({
      day: new Date(day * DAY).toISOString().slice(0, "2026-12-01".length),
      clicks,
    })),
    countries: sum(days.map(({ countries }) => countries)).map(([country, clicks]) => ({
      country: country || null,
      clicks,
    })),
    devices: sum(days.map(({ devices }) => devices)).map(([device, clicks]) => ({
      device,
      clicks,
    })),
    countedOnly: days.reduce((total, day) => total + day.countedOnly, 0),
  };
}

/** Most clicks first. */
function sum(list: readonly Counts[]): [string, number][] {
  const total: Counts = {};
  for (const counts of list) {
    for (const [name, n] of Object.entries(counts)) total[name] = (total[name] ?? 0) + n;
  }
  return Object.entries(total).sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
}
