import type { Connector } from "../connector.ts";
import { lazily } from "../kit/lazily.ts";
import { apiVersion, capabilities, needs, REFRESH_AHEAD_SECONDS, timing } from "./capabilities.ts";
import { type LinkedInSettings, settings } from "./settings.ts";

/** LinkedIn's people and pages, by its versioned API. */
export const linkedin: Connector<LinkedInSettings> = {
  platform: "linkedin",
  apiVersion,
  capabilities,
  needs,
  timing,
  refreshAheadSeconds: REFRESH_AHEAD_SECONDS,
  settings,
  ...lazily(() => import("./check.ts"), "check"),
  ...lazily(() => import("./publish.ts"), "prepare", "submit"),
  ...lazily(() => import("./reconcile.ts"), "reconcile"),
  ...lazily(() => import("./auth.ts"), "identify", "refresh", "revoke"),
  extras: {
    pages: async (fetch, accessToken) => (await import("./pages.ts")).listPages(fetch, accessToken),
  },
};
