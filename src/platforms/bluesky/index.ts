import type { Connector } from "../connector.ts";
import { lazily } from "../kit/lazily.ts";
import { apiVersion, capabilities, needs, timing } from "./capabilities.ts";
import { type BlueskySettings, settings } from "./settings.ts";

/** Bluesky and every other server of the AT Protocol. */
export const bluesky: Connector<BlueskySettings> = {
  platform: "bluesky",
  apiVersion,
  capabilities,
  needs,
  timing,
  settings,
  ...lazily(() => import("./check.ts"), "check"),
  ...lazily(() => import("./publish.ts"), "prepare", "submit", "reconcile"),
  ...lazily(() => import("./auth.ts"), "login", "identify", "refresh", "revoke"),
};
