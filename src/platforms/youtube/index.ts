import type { Connector } from "../connector.ts";
import { lazily } from "../kit/lazily.ts";
import { apiVersion, capabilities, needs, timing } from "./capabilities.ts";
import { settings, type YouTubeSettings } from "./settings.ts";

/** YouTube channels, by the Data API. */
export const youtube: Connector<YouTubeSettings> = {
  platform: "youtube",
  apiVersion,
  capabilities,
  needs,
  timing,
  settings,
  ...lazily(() => import("./check.ts"), "check"),
  ...lazily(() => import("./publish.ts"), "prepare", "submit", "settle", "reconcile"),
  ...lazily(() => import("./auth.ts"), "identify", "refresh", "revoke"),
};
