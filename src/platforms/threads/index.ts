import type { Connector } from "../connector.ts";
import { capabilities, needs, REFRESH_AHEAD_SECONDS, timing } from "./capabilities.ts";
import { settings, type ThreadsSettings } from "./settings.ts";

/** Loaded by the first job or login that needs them: most requests only check what they are given. */
const publishing = () => import("./publish.ts");
const logins = () => import("./auth.ts");

export const threads: Connector<ThreadsSettings> = {
  platform: "threads",
  capabilities,
  needs,
  timing,
  settings,
  check: async (post) => (await import("./check.ts")).check(post),
  prepare: async (job, bookmark) => (await publishing()).prepare(job, bookmark),
  submit: async (job, bookmark) => (await publishing()).submit(job, bookmark),
  settle: async (job, bookmark) => (await publishing()).settle(job, bookmark),
  reconcile: async (job, bookmark) => (await publishing()).reconcile(job, bookmark),
  adopt: async (fetch, credentials, _options, app) =>
    (await logins()).adopt(fetch, credentials, app),
  identify: async (fetch, credentials) => (await logins()).identify(fetch, credentials),
  refresh: async (fetch, credentials) => (await logins()).refresh(fetch, credentials),
  refreshAheadSeconds: REFRESH_AHEAD_SECONDS,
  isSelfRenewing: true,
  revoke: async () => (await logins()).revoke(),
};
