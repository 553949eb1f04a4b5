import type { Platform } from "../core/platforms.ts";
import type { Simulator } from "./kit/simulator.ts";

export interface SimulatedPlatform {
  platform: Platform;
  /** The platform's own spelling of its name. */
  name: string;
  /** The origins that the simulator answers for. */
  origins: readonly string[];
  /** Loads the simulator on the first call: production mostly has no use for it. */
  load(): Promise<Simulator>;
}

/** The simulated platforms, in the order of the feed's filter. A new one is one entry here. */
export const SIMULATED_PLATFORMS: readonly SimulatedPlatform[] = [
  {
    platform: "tiktok",
    name: "TikTok",
    origins: ["https://open.tiktokapis.com", "https://open-upload.tiktokapis.com"],
    load: async () => (await import("./tiktok/index.ts")).tiktokSimulator,
  },
  {
    platform: "instagram",
    name: "Instagram",
    origins: ["https://graph.instagram.com"],
    load: async () => (await import("./instagram/index.ts")).instagramSimulator,
  },
  {
    platform: "facebook",
    name: "Facebook",
    origins: [
      "https://graph.facebook.com",
      "https://graph-video.facebook.com",
      "https://rupload.facebook.com",
    ],
    load: async () => (await import("./facebook/index.ts")).facebookSimulator,
  },
  {
    platform: "youtube",
    name: "YouTube",
    origins: [
      "https://www.googleapis.com",
      "https://youtube.googleapis.com",
      "https://oauth2.googleapis.com",
    ],
    load: async () => (await import("./youtube/index.ts")).youtubeSimulator,
  },
  {
    platform: "linkedin",
    name: "LinkedIn",
    origins: ["https://api.linkedin.com", "https://www.linkedin.com"],
    load: async () => (await import("./linkedin/index.ts")).linkedinSimulator,
  },
  {
    platform: "pinterest",
    name: "Pinterest",
    origins: [
      "https://api.pinterest.com",
      "https://pinterest-media-upload.s3-accelerate.amazonaws.com",
    ],
    load: async () => (await import("./pinterest/index.ts")).pinterestSimulator,
  },
  {
    platform: "bluesky",
    name: "Bluesky",
    origins: [
      "https://pds.sandbox.bsky.network",
      "https://bsky.social",
      "https://public.api.bsky.app",
      "https://plc.directory",
      "https://video.bsky.app",
    ],
    load: async () => (await import("./bluesky/index.ts")).blueskySimulator,
  },
  {
    platform: "threads",
    name: "Threads",
    origins: ["https://graph.threads.net", "https://graph.threads.com"],
    load: async () => (await import("./threads/index.ts")).threadsSimulator,
  },
  {
    platform: "x",
    name: "X",
    origins: ["https://api.x.com", "https://subtitles.sandbox.test"],
    load: async () => (await import("./x/index.ts")).xSimulator,
  },
];

export const findSimulated = (url: URL): SimulatedPlatform | null =>
  SIMULATED_PLATFORMS.find(({ origins }) => origins.includes(url.origin)) ?? null;
