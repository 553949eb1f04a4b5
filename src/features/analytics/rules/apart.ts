import type { Platform } from "../../../core/platforms.ts";
import type { Deps } from "../../../deps.ts";
import { connectorOf } from "../../../platforms/registry.ts";
import { type DayNumber, dayOf } from "./days.ts";
import { type Series, withoutDaysBefore } from "./series.ts";

type Configured = Pick<Deps, "config">;

export const isKeptApart = ({ config }: Configured, platform: Platform): boolean =>
  connectorOf(platform).metrics?.isKeptApart === true && !config.derivedMetrics.includes(platform);

/** Platforms whose figures stand beside the sums. A platform alone is summed. */
export function platformsApart(deps: Configured, platforms: ReadonlySet<Platform>): Platform[] {
  if (platforms.size < 2) return [];
  return [...platforms].filter((platform) => isKeptApart(deps, platform)).sort();
}

/** The first day that may be kept; null for platforms whose days are added up by month. */
export function firstKeptDay(deps: Configured, platform: Platform, now: number): DayNumber | null {
  const keepDays = connectorOf(platform).metrics?.keepDays ?? null;
  return keepDays === null || !isKeptApart(deps, platform) ? null : dayOf(now) - keepDays;
}

/** Also removes days that unread accounts keep until the night. */
export function keptSeries(
  deps: Configured,
  { platform, series, now }: { platform: Platform; series: Series; now: number },
): Series {
  const from = firstKeptDay(deps, platform, now);
  return from === null ? series : withoutDaysBefore(series, from);
}
