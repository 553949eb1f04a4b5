import { DAY, SECOND } from "../../core/time.ts";
import type { Connector } from "../connector.ts";
import { capabilities, needs, timing } from "./capabilities.ts";
import { type InstagramSettings, settings } from "./settings.ts";

/** Loaded by the first job or login that needs them: most requests only check what they are given. */
const publishing = () => import("./publish.ts");
const logins = () => import("./auth.ts");

/** Instagram's professional accounts, by Instagram Login. */
export const instagram: Connector<InstagramSettings> = {
  platform: "instagram",
  capabilities,
  needs,
  timing,
  // Of 60 days; one that nobody renews is lost with its account.
  refreshAheadSeconds: (10 * DAY) / SECOND,
  isSelfRenewing: true,
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
  revoke: async () => (await logins()).revoke(),
};
