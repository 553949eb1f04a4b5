import { DAY, SECOND } from "../../core/time.ts";
import type { Connector } from "../connector.ts";
import { lazily } from "../kit/lazily.ts";
import { apiVersion, capabilities, needs, timing } from "./capabilities.ts";
import { type InstagramSettings, settings } from "./settings.ts";

/** Instagram's professional accounts, by Instagram Login. */
export const instagram: Connector<InstagramSettings> = {
  platform: "instagram",
  apiVersion,
  capabilities,
  needs,
  timing,
  // Of 60 days; one that nobody renews is lost with its account.
  refreshAheadSeconds: (10 * DAY) / SECOND,
  isSelfRenewing: true,
  settings,
  ...lazily(() => import("./check.ts"), "check"),
  ...lazily(() => import("./publish.ts"), "prepare", "submit", "settle", "reconcile"),
  ...lazily(() => import("./auth.ts"), "adopt", "identify", "refresh", "revoke"),
};
