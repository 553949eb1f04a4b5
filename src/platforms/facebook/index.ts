import type { Connector } from "../connector.ts";
import { lazily } from "../kit/lazily.ts";
import { withAppSecretProof } from "../meta/app-secret-proof.ts";
import { apiVersion, capabilities, needs, timing } from "./capabilities.ts";
import { type FacebookSettings, settings } from "./settings.ts";

/** Facebook Pages, by the Graph API. */
export const facebook: Connector<FacebookSettings> = {
  platform: "facebook",
  apiVersion,
  capabilities,
  needs,
  timing,
  settings,
  ...lazily(() => import("./check.ts"), "check"),
  ...lazily(() => import("./publish.ts"), "prepare", "submit", "settle", "reconcile"),
  ...lazily(() => import("./auth.ts"), "identify", "refresh", "revoke"),
  ...lazily(() => import("./lasting.ts"), "adopt"),
  prove: (network, app) => withAppSecretProof(network, app.clientSecret),
};
