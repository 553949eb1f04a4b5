import { DAY } from "../../core/time.ts";
import type { Click } from "../../queue/messages.ts";
import type { Counts, linkDays } from "./table.ts";

/** Spec is silent: single clicks are kept this long, daily counts for good. */
export const CLICKS_KEPT_MS = 90 * DAY;
/**
 * Further clicks are only counted: one link's flood must not fill the shared database. A database trigger has the same
 * number. Spec is silent.
 */
export const MAX_KEPT_A_MINUTE = 100;
/** Longer than a queue keeps messages. Source: Queues, "Limits": 4 days by default. */
export const MESSAGES_KNOWN_MS = 5 * DAY;
/** Spec is silent. */
export const MAX_SHOWN_CLICKS = 200;

export const toClicks = (clicks: readonly Click[]) =>
  clicks
    .toSorted(([a], [b]) => b - a)
    .slice(0, MAX_SHOWN_CLICKS)
    .map(([at, country, device]) => ({ country, device, clickedAt: new Date(at).toISOString() }));

type Day = Pick<
  typeof linkDays.$inferSelect,
  "day" | "clicks" | "countries" | "devices" | "countedOnly"
>;

/** @param days newest first */
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
