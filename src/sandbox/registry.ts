import type { Platform } from "../core/platforms.ts";
import { BLUESKY_ORIGINS } from "./bluesky/origins.ts";
import type { Simulator } from "./simulator.ts";

export interface SimulatedPlatform {
  platform: Platform;
  /** What it answers for. */
  origins: readonly string[];
  /** The simulator itself is loaded when somebody calls it: production mostly has no use for it. */
  load(): Promise<Simulator>;
}

export const SIMULATED_PLATFORMS: readonly SimulatedPlatform[] = [
  {
    platform: "bluesky",
    origins: BLUESKY_ORIGINS,
    load: async () => (await import("./bluesky/index.ts")).blueskySimulator,
  },
];

export const findSimulated = (url: URL): SimulatedPlatform | null =>
  SIMULATED_PLATFORMS.find(({ origins }) => origins.includes(url.origin)) ?? null;
