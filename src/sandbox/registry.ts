import type { Platform } from "../core/platforms.ts";
import { BLUESKY_ORIGINS } from "./bluesky/origins.ts";
import { INSTAGRAM_ORIGINS } from "./instagram/origins.ts";
import type { Simulator } from "./simulator.ts";
import { TIKTOK_ORIGINS } from "./tiktok/origins.ts";

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
  {
    platform: "instagram",
    origins: INSTAGRAM_ORIGINS,
    load: async () => (await import("./instagram/index.ts")).instagramSimulator,
  },
  {
    platform: "tiktok",
    origins: TIKTOK_ORIGINS,
    load: async () => (await import("./tiktok/index.ts")).tiktokSimulator,
  },
];

export const findSimulated = (url: URL): SimulatedPlatform | null =>
  SIMULATED_PLATFORMS.find(({ origins }) => origins.includes(url.origin)) ?? null;
