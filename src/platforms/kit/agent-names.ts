import type { Platform } from "../../core/platforms.ts";

/** In camelCase, without the platform's prefix. */
export const agentName = (platform: Platform, wireName: string): string =>
  wireName
    .replace(`${platform}_`, "")
    .replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

export const argumentOf = (platform: Platform, wireName: string): string =>
  `settings.${platform}.${agentName(platform, wireName)}`;
