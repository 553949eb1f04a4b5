import type { Connector } from "../connector.ts";
import { lazily } from "../kit/lazily.ts";
import { apiVersion, capabilities, needs, REFRESH_AHEAD_SECONDS, timing } from "./capabilities.ts";
import { type PinterestSettings, settings } from "./settings.ts";

/** Pinterest, by its API v5. */
export const pinterest: Connector<PinterestSettings> = {
  platform: "pinterest",
  apiVersion,
  capabilities,
  needs,
  timing,
  refreshAheadSeconds: REFRESH_AHEAD_SECONDS,
  settings,
  ...lazily(() => import("./check.ts"), "check"),
  ...lazily(() => import("./publish.ts"), "prepare", "submit", "reconcile"),
  ...lazily(() => import("./auth.ts"), "identify", "refresh", "revoke"),
  extras: lazily(() => import("./boards.ts"), "boards"),
};
