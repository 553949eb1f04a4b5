import type { Platform } from "../core/platforms.ts";
import { DAY } from "../core/time.ts";
import type { ApiVersion } from "./connector.ts";
import { connectors } from "./registry.ts";

/** Enough to support, test and deploy a newer version. */
const WARNING_DAYS = 60;

interface EndingVersion {
  platform: Platform;
  version: string;
  sunset: string;
  /** Days, rounded up. 0 or less once the version has ended. */
  daysLeft: number;
}

interface PlatformVersion {
  platform: Platform;
  apiVersion: Pick<ApiVersion, "version" | "sunset">;
}

/** Versions that have ended or end within 60 days, earliest first. */
export function endingVersions(
  now: Date,
  versions: readonly PlatformVersion[] = connectors(),
): EndingVersion[] {
  const ending = versions.flatMap(({ platform, apiVersion: { version, sunset } }) => {
    if (sunset === null) return [];
    const daysLeft = Math.ceil((Date.parse(`${sunset}T00:00:00Z`) - now.getTime()) / DAY);
    return daysLeft <= WARNING_DAYS ? [{ platform, version, sunset, daysLeft }] : [];
  });
  return ending.sort((one, other) => one.daysLeft - other.daysLeft);
}

export const hasEnded = ({ daysLeft }: EndingVersion): boolean => daysLeft <= 0;

export function describeEnding(ending: EndingVersion): string {
  const { platform, version, sunset, daysLeft } = ending;
  if (hasEnded(ending)) return `${platform}: API version ${version} ended on ${sunset}.`;
  const days = daysLeft === 1 ? "1 day" : `${daysLeft} days`;
  return `${platform}: API version ${version} ends on ${sunset}, in ${days}.`;
}
