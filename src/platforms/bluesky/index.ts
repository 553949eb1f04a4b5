import type { Connector } from "../connector.ts";
import { identify, login, refresh, revoke } from "./auth.ts";
import { capabilities, timing } from "./capabilities.ts";
import { check } from "./check.ts";
import { prepare, reconcile, submit } from "./publish.ts";
import { type BlueskySettings, settings } from "./settings.ts";

/** Bluesky and every other server of the AT Protocol. */
export const bluesky: Connector<BlueskySettings> = {
  platform: "bluesky",
  capabilities,
  timing,
  settings,
  check,
  prepare,
  submit,
  reconcile,
  login,
  identify,
  refresh,
  revoke,
};
