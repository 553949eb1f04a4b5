const MAX_ZONES = 5;

/** By their last use, the oldest first. */
const shownZones = new Set(["UTC"]);

/**
 * The zones of the workspaces that this isolate has shown lately. A statement reads a workspace's zone together with its
 * posts, so it is given the days of all of these.
 */
export const latestZones = (): string[] => [...shownZones];

export function rememberZone(zone: string): void {
  shownZones.delete(zone);
  shownZones.add(zone);
  const [oldest] = shownZones;
  if (oldest && shownZones.size > MAX_ZONES) shownZones.delete(oldest);
}
