import type { Platform } from "../core/platforms.ts";
import { BLUESKY_ORIGINS } from "./bluesky/origins.ts";
import { FACEBOOK_ORIGINS } from "./facebook/origins.ts";
import { INSTAGRAM_ORIGINS } from "./instagram/origins.ts";
import type { Simulator } from "./kit/simulator.ts";
import { LINKEDIN_ORIGINS } from "./linkedin/origins.ts";
import { PINTEREST_ORIGINS } from "./pinterest/origins.ts";
import { THREADS_ORIGINS } from "./threads/origins.ts";
import { TIKTOK_ORIGINS } from "./tiktok/origins.ts";
import { X_ORIGINS } from "./x/origins.ts";
import { YOUTUBE_ORIGINS } from "./youtube/origins.ts";

export interface SimulatedPlatform {
  platform: Platform;
  /** What it answers for. */
  origins: readonly string[];
  /** The simulator itself is loaded when somebody calls it: production mostly has no use for it. */
  load(): Promise<Simulator>;
}

export const SIMULATED_PLATFORMS: readonly SimulatedPlatform[] = [
  {
    platform: "tiktok",
    origins: TIKTOK_ORIGINS,
    load: async () => (await import("./tiktok/index.ts")).tiktokSimulator,
  },
  {
    platform: "instagram",
    origins: INSTAGRAM_ORIGINS,
    load: async () => (await import("./instagram/index.ts")).instagramSimulator,
  },
  {
    platform: "facebook",
    origins: FACEBOOK_ORIGINS,
    load: async () => (await import("./facebook/index.ts")).facebookSimulator,
  },
  {
    platform: "youtube",
    origins: YOUTUBE_ORIGINS,
    load: async () => (await import("./youtube/index.ts")).youtubeSimulator,
  },
  {
    platform: "linkedin",
    origins: LINKEDIN_ORIGINS,
    load: async () => (await import("./linkedin/index.ts")).linkedinSimulator,
  },
  {
    platform: "pinterest",
    origins: PINTEREST_ORIGINS,
    load: async () => (await import("./pinterest/index.ts")).pinterestSimulator,
  },
  {
    platform: "bluesky",
    origins: BLUESKY_ORIGINS,
    load: async () => (await import("./bluesky/index.ts")).blueskySimulator,
  },
  {
    platform: "threads",
    origins: THREADS_ORIGINS,
    load: async () => (await import("./threads/index.ts")).threadsSimulator,
  },
  {
    platform: "x",
    origins: X_ORIGINS,
    load: async () => (await import("./x/index.ts")).xSimulator,
  },
];

export const findSimulated = (url: URL): SimulatedPlatform | null =>
  SIMULATED_PLATFORMS.find(({ origins }) => origins.includes(url.origin)) ?? null;
