import type { Platform } from "../../src/core/platforms.ts";

/** A short-lived token that the simulators of Meta accept. `consent` distinguishes the logins of an account. */
export const sandboxShortToken = (platform: Platform, name: string, consent: string): string =>
  `sandbox-short.${platform}.${encodeURIComponent(name.toWellFormed())}/${consent}`;
