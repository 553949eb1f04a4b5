import type { Connector } from "../connector.ts";
import { capabilities, needs, REFRESH_AHEAD_SECONDS, timing } from "./capabilities.ts";
import { type PinterestSettings, settings } from "./settings.ts";

/** Loaded by the first job or login that needs them: most requests only check what they are given. */
const publishing = () => import("./publish.ts");
const logins = () => import("./auth.ts");

/** Pinterest, by its API v5. */
export const pinterest: Connector<PinterestSettings> = {
  platform: "pinterest",
  capabilities,
  needs,
  timing,
  settings,
  check: async (post) => (await import("./check.ts")).check(post),
  prepare: async (job, bookmark) => (await publishing()).prepare(job, bookmark),
  submit: async (job, bookmark) => (await publishing()).submit(job, bookmark),
  reconcile: async (job, bookmark) => (await publishing()).reconcile(job, bookmark),
  identify: async (fetch, credentials) => (await logins()).identify(fetch, credentials),
  refresh: async (fetch, credentials, _account, app) =>
    (await logins()).refresh(fetch, credentials, app),
  refreshAheadSeconds: REFRESH_AHEAD_SECONDS,
  extras: {
    boards: async (fetch, accessToken) => (await import("./boards.ts")).boards(fetch, accessToken),
  },
  revoke: async () => (await logins()).revoke(),
};
