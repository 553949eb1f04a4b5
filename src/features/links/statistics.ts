import { DAY, MINUTE } from "../../core/time.ts";
import type { LocalDay, ZoneClock } from "../../core/zone.ts";
import type { Click } from "../../queue/messages.ts";
import { BOT, type StoredRule } from "./evaluate.ts";
import { DEFAULT_KEY, ruleKey } from "./rule-key.ts";
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

const QUARTER = 15 * MINUTE;

type TimedDay = Pick<typeof linkDays.$inferSelect, "day" | "clicks" | "devices" | "quarters">;

const botsOf = ({ devices }: Pick<Day, "devices">): number => devices[BOT] ?? 0;

export const clicksOfBots = (days: readonly Pick<Day, "devices">[]): number =>
  days.reduce((total, day) => total + botsOf(day), 0);

/** Clicks of people. Days from before quarters of an hour were counted stay days in UTC. */
export function clicksByDay(days: readonly TimedDay[], zone: ZoneClock): Map<LocalDay, number> {
  const total = new Map<LocalDay, number>();
  const add = (at: number, clicks: number) => {
    if (clicks === 0) return;
    const day = zone.dayAt(at);
    total.set(day, (total.get(day) ?? 0) + clicks);
  };
  for (const { day, clicks, devices, quarters } of days) {
    let rest = clicks - botsOf({ devices });
    for (const [quarter, counted] of Object.entries(quarters)) {
      add(day * DAY + Number(quarter) * QUARTER, counted);
      rest -= counted;
    }
    const middle = day * DAY + DAY / 2;
    add(middle - zone.offsetAt(middle), rest);
  }
  return total;
}

/** Clicks of people. */
export interface ClicksByRule {
  rules: number[];
  default: number;
  /** Of rules that the link does not have any more. */
  former: number;
  /** Of the time before rules were counted, and of links that had none. */
  unknown: number;
}

export function clicksByRule(
  days: readonly Pick<typeof linkDays.$inferSelect, "clicks" | "devices" | "rules">[],
  rules: readonly StoredRule[],
): ClicksByRule {
  const counts = new Map(sum(days.map((day) => day.rules)));
  const take = (key: string): number => {
    const clicks = counts.get(key) ?? 0;
    counts.delete(key);
    return clicks;
  };
  const known = [...counts.values()].reduce((total, clicks) => total + clicks, 0);
  const all = days.reduce((total, { clicks }) => total + clicks, 0);
  return {
    rules: rules.map((rule) => take(ruleKey(rule))),
    default: take(DEFAULT_KEY),
    former: [...counts.values()].reduce((total, clicks) => total + clicks, 0),
    unknown: all - clicksOfBots(days) - known,
  };
}

/** Most clicks first. */
export const countsOf = (list: readonly Counts[]): [string, number][] => sum(list);

/** Most clicks first. */
function sum(list: readonly Counts[]): [string, number][] {
  const total: Counts = {};
  for (const counts of list) {
    for (const [name, n] of Object.entries(counts)) total[name] = (total[name] ?? 0) + n;
  }
  return Object.entries(total).sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
}
