import { DAY, SECOND } from "../../core/time.ts";
import type { Connector } from "../connector.ts";
import { lazily } from "../kit/lazily.ts";
import { apiVersion, capabilities, needs, timing, verifiedPull } from "./capabilities.ts";
import { settings, type TikTokSettings } from "./settings.ts";

/** TikTok, by its Content Posting API. */
export const tiktok: Connector<TikTokSettings> = {
  platform: "tiktok",
  apiVersion,
  capabilities,
  needs,
  timing,
  verifiedPull,
  // Of 180: an account that nobody uses for months keeps its login.
  refreshAheadSeconds: (30 * DAY) / SECOND,
  settings,
  ...lazily(() => import("./check.ts"), "check"),
  ...lazily(() => import("./publish.ts"), "prepare", "submit", "settle", "reconcile"),
  ...lazily(() => import("./auth.ts"), "identify", "refresh", "revoke"),
  extras: {
    stats: async (fetch, accessToken) => (await import("./stats.ts")).readStats(fetch, accessToken),
  },
};
