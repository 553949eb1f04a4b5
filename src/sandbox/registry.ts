import type { Platform } from "../core/platforms.ts";
import type { LoginValues } from "../platforms/login.ts";
import type { DemoPosts } from "./kit/demo.ts";
import type { Simulator } from "./kit/simulator.ts";

export interface SimulatedPlatform {
  platform: Platform;
  origins: readonly string[];
  /** Fills in one of the connector's forms. Absent where tokens of `sandbox/kit/login.ts` create the accounts. */
  login?(name: string): Promise<LoginValues>;
  /** The server of the accounts that tokens create, on networks with many. */
  service?: string;
  /** Imported lazily: production rarely needs a simulator. */
  load(): Promise<Simulator>;
  loadDemo(): Promise<DemoPosts>;
}

export const SIMULATED_PLATFORMS: readonly SimulatedPlatform[] = [
  {
    platform: "tiktok",
    origins: [
      "https://open.tiktokapis.com",
      "https://open-upload.tiktokapis.com",
      "https://www.tiktok.com",
    ],
    load: async () => (await import("./tiktok/index.ts")).tiktokSimulator,
    loadDemo: async () => (await import("./tiktok/demo.ts")).demoPosts,
  },
  {
    platform: "instagram",
    origins: [
      "https://graph.instagram.com",
      "https://api.instagram.com",
      "https://www.instagram.com",
    ],
    load: async () => (await import("./instagram/index.ts")).instagramSimulator,
    loadDemo: async () => (await import("./instagram/demo.ts")).demoPosts,
  },
  {
    platform: "facebook",
    origins: [
      "https://graph.facebook.com",
      "https://graph-video.facebook.com",
      "https://rupload.facebook.com",
      "https://www.facebook.com",
    ],
    load: async () => (await import("./facebook/index.ts")).facebookSimulator,
    loadDemo: async () => (await import("./facebook/demo.ts")).demoPosts,
  },
  {
    platform: "youtube",
    origins: [
      "https://www.googleapis.com",
      "https://youtube.googleapis.com",
      "https://oauth2.googleapis.com",
      "https://accounts.google.com",
    ],
    load: async () => (await import("./youtube/index.ts")).youtubeSimulator,
    loadDemo: async () => (await import("./youtube/demo.ts")).demoPosts,
  },
  {
    platform: "linkedin",
    origins: ["https://api.linkedin.com", "https://www.linkedin.com"],
    load: async () => (await import("./linkedin/index.ts")).linkedinSimulator,
    loadDemo: async () => (await import("./linkedin/demo.ts")).demoPosts,
  },
  {
    platform: "pinterest",
    origins: [
      "https://api.pinterest.com",
      "https://www.pinterest.com",
      "https://pinterest-media-upload.s3-accelerate.amazonaws.com",
    ],
    load: async () => (await import("./pinterest/index.ts")).pinterestSimulator,
    loadDemo: async () => (await import("./pinterest/demo.ts")).demoPosts,
  },
  {
    platform: "bluesky",
    origins: [
      "https://pds.sandbox.bsky.network",
      "https://bsky.social",
      "https://public.api.bsky.app",
      "https://plc.directory",
      "https://video.bsky.app",
    ],
    login: async (name) => (await import("./bluesky/identity.ts")).sandboxLogin(name),
    load: async () => (await import("./bluesky/index.ts")).blueskySimulator,
    loadDemo: async () => (await import("./bluesky/demo.ts")).demoPosts,
  },
  {
    platform: "threads",
    origins: [
      "https://graph.threads.net",
      "https://graph.threads.com",
      "https://threads.com",
      "https://www.threads.com",
      "https://threads.net",
      "https://www.threads.net",
    ],
    load: async () => (await import("./threads/index.ts")).threadsSimulator,
    loadDemo: async () => (await import("./threads/demo.ts")).demoPosts,
  },
  {
    platform: "x",
    origins: ["https://api.x.com", "https://x.com", "https://subtitles.sandbox.test"],
    load: async () => (await import("./x/index.ts")).xSimulator,
    loadDemo: async () => (await import("./x/demo.ts")).demoPosts,
  },
  {
    platform: "mastodon",
    origins: [
      "https://mastodon.sandbox.test",
      "https://mastodon.social",
      "https://generous.sandbox.test",
    ],
    service: "https://mastodon.sandbox.test",
    load: async () => (await import("./mastodon/index.ts")).mastodonSimulator,
    loadDemo: async () => (await import("./mastodon/demo.ts")).demoPosts,
  },
  {
    platform: "telegram",
    origins: ["https://api.telegram.org"],
    login: async (name) => (await import("./telegram/identity.ts")).sandboxLogin(name),
    load: async () => (await import("./telegram/index.ts")).telegramSimulator,
    loadDemo: async () => (await import("./telegram/demo.ts")).demoPosts,
  },
  {
    platform: "discord",
    origins: ["https://discord.com"],
    login: async (name) => (await import("./discord/world.ts")).sandboxLogin(name),
    load: async () => (await import("./discord/index.ts")).discordSimulator,
    loadDemo: async () => (await import("./discord/demo.ts")).demoPosts,
  },
  {
    platform: "google_business",
    origins: [
      "https://mybusinessaccountmanagement.googleapis.com",
      "https://mybusinessbusinessinformation.googleapis.com",
      "https://mybusiness.googleapis.com",
      "https://oauth2.googleapis.com",
      "https://accounts.google.com",
    ],
    load: async () => (await import("./google_business/index.ts")).googleBusinessSimulator,
    loadDemo: async () => (await import("./google_business/demo.ts")).demoPosts,
  },
];

export const simulatedOf = (platform: Platform): SimulatedPlatform | undefined =>
  SIMULATED_PLATFORMS.find((one) => one.platform === platform);

/** @param caller chooses between platforms that share an origin, as those of one company do */
export function findSimulated(url: URL, caller: Platform | null): SimulatedPlatform | null {
  const there = SIMULATED_PLATFORMS.filter(({ origins }) => origins.includes(url.origin));
  return there.find(({ platform }) => platform === caller) ?? there[0] ?? null;
}
