import { DAY, SECOND } from "../../core/time.ts";
import type { Connector } from "../connector.ts";
import { capabilities, needs, timing, verifiedPull } from "./capabilities.ts";
import { settings, type TikTokSettings } from "./settings.ts";

/** Loaded by the first job or login that needs them: most requests only check what they are given. */
const publishing = () => import("./publish.ts");
const logins = () => import("./auth.ts");

/** TikTok, by its Content Posting API. */
export const tiktok: Connector<TikTokSettings> = {
  platform: "tiktok",
  capabilities,
  needs,
  timing,
  verifiedPull,
  // Of 180: an account that nobody uses for months keeps its login.
  refreshAheadSeconds: (30 * DAY) / SECOND,
  settings,
  check: async (post) => (await import("./check.ts")).check(post),
  prepare: async (job, bookmark) => (await publishing()).prepare(job, bookmark),
  submit: async (job, bookmark) => (await publishing()).submit(job, bookmark),
  settle: async (job, bookmark) => (await publishing()).settle(job, bookmark),
  reconcile: async (job, bookmark) => (await publishing()).reconcile(job, bookmark),
  identify: async (fetch, credentials) => (await logins()).identify(fetch, credentials),
  refresh: async (fetch, credentials, account, app) =>
    (await logins()).refresh(fetch, credentials, account, app),
  extras: {
    stats: async (fetch, accessToken) => (await import("./stats.ts")).readStats(fetch, accessToken),
  },
  revoke: async (fetch, credentials, _account, app) =>
    (await logins()).revoke(fetch, credentials, app),
};
