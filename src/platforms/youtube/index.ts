import type { Connector } from "../connector.ts";
import { capabilities, needs, timing } from "./capabilities.ts";
import { settings, type YouTubeSettings } from "./settings.ts";

/** Loaded by the first job or login that needs them: most requests only check what they are given. */
const publishing = () => import("./publish.ts");
const logins = () => import("./auth.ts");

/** YouTube channels, by the Data API. */
export const youtube: Connector<YouTubeSettings> = {
  platform: "youtube",
  capabilities,
  needs,
  timing,
  settings,
  check: async (post, plan) => (await import("./check.ts")).check(post, plan),
  prepare: async (job, bookmark) => (await publishing()).prepare(job, bookmark),
  submit: async (job, bookmark) => (await publishing()).submit(job, bookmark),
  settle: async (job, bookmark) => (await publishing()).settle(job, bookmark),
  reconcile: async (job, bookmark) => (await publishing()).reconcile(job, bookmark),
  identify: async (fetch, credentials) => (await logins()).identify(fetch, credentials),
  refresh: async (fetch, credentials, _account, app) =>
    (await logins()).refresh(fetch, credentials, app),
  revoke: async (fetch, credentials) => (await logins()).revoke(fetch, credentials),
};
