import type { Connector } from "../connector.ts";
import { capabilities, needs, REFRESH_AHEAD_SECONDS, timing } from "./capabilities.ts";
import { type LinkedInSettings, settings } from "./settings.ts";

/** Loaded by the first job or login that needs them: most requests only check what they are given. */
const publishing = () => import("./publish.ts");
const logins = () => import("./auth.ts");

/** LinkedIn's people and pages, by its versioned API. */
export const linkedin: Connector<LinkedInSettings> = {
  platform: "linkedin",
  capabilities,
  needs,
  timing,
  settings,
  check: async (post, plan) => (await import("./check.ts")).check(post, plan),
  prepare: async (job, bookmark) => (await publishing()).prepare(job, bookmark),
  submit: async (job, bookmark) => (await publishing()).submit(job, bookmark),
  reconcile: async (job, bookmark) => (await import("./reconcile.ts")).reconcile(job, bookmark),
  identify: async (fetch, credentials, options) =>
    (await logins()).identify(fetch, credentials, options),
  refresh: async (fetch, credentials, _account, app) =>
    (await logins()).refresh(fetch, credentials, app),
  refreshAheadSeconds: REFRESH_AHEAD_SECONDS,
  extras: {
    pages: async (fetch, accessToken) => (await import("./pages.ts")).listPages(fetch, accessToken),
  },
  revoke: async (fetch, credentials, account, app) =>
    (await logins()).revoke(fetch, credentials, account, app),
};
