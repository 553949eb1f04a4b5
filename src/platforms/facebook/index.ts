import type { Connector } from "../connector.ts";
import { withAppSecretProof } from "../meta/app-secret-proof.ts";
import { capabilities, needs, timing } from "./capabilities.ts";
import { type FacebookSettings, settings } from "./settings.ts";

/** Loaded by the first job or login that needs them: most requests only check what they are given. */
const publishing = () => import("./publish.ts");
const logins = () => import("./auth.ts");

/** Facebook Pages, by the Graph API. */
export const facebook: Connector<FacebookSettings> = {
  platform: "facebook",
  capabilities,
  needs,
  timing,
  settings,
  check: async (post) => (await import("./check.ts")).check(post),
  prepare: async (job, bookmark) => (await publishing()).prepare(job, bookmark),
  submit: async (job, bookmark) => (await publishing()).submit(job, bookmark),
  settle: async (job, bookmark) => (await publishing()).settle(job, bookmark),
  reconcile: async (job, bookmark) => (await publishing()).reconcile(job, bookmark),
  adopt: async (fetch, credentials, options, app) =>
    (await import("./lasting.ts")).adopt(fetch, credentials, options, app),
  identify: async (fetch, credentials, options) =>
    (await logins()).identify(fetch, credentials, options),
  refresh: async (fetch, credentials, account) =>
    (await logins()).refresh(fetch, credentials, account),
  prove: (network, app) => withAppSecretProof(network, app.clientSecret),
  revoke: async () => (await logins()).revoke(),
};
