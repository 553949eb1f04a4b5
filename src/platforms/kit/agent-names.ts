import type { Platform } from "../../core/platforms.ts";

/** Returns the name that agents give a form field: in camelCase, without the platform's own name before it. */
export const agentName = (platform: Platform, wireName: string): string =>
  wireName
    .replace(`${platform}_`, "")
    .replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Returns the argument by which agents give a form field. */
export const argumentOf = (platform: Platform, wireName: string): string =>
  `settings.${platform}.${agentName(platform, wireName)}`;
