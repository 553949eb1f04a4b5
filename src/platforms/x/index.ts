import type { Connector } from "../connector.ts";
import { lazily } from "../kit/lazily.ts";
import { capabilities, needs, timing } from "./capabilities.ts";
import { settings, type XSettings } from "./settings.ts";

/** X, by its API v2. */
export const x: Connector<XSettings> = {
  platform: "x",
  capabilities,
  needs,
  timing,
  settings,
  ...lazily(() => import("./check.ts"), "check"),
  ...lazily(() => import("./publish.ts"), "prepare", "submit", "reconcile"),
  ...lazily(() => import("./auth.ts"), "identify", "refresh", "revoke"),
};
