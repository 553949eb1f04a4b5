import type { Connector } from "../connector.ts";
import { capabilities, needs, timing } from "./capabilities.ts";
import { type BlueskySettings, settings } from "./settings.ts";

/** Loaded by the first job or login that needs them: most requests only check what they are given. */
const publishing = () => import("./publish.ts");
const logins = () => import("./auth.ts");

/** Bluesky and every other server of the AT Protocol. */
export const bluesky: Connector<BlueskySettings> = {
  platform: "bluesky",
  capabilities,
  needs,
  timing,
  settings,
  check: async (post) => (await import("./check.ts")).check(post),
  prepare: async (job, bookmark) => (await publishing()).prepare(job, bookmark),
  submit: async (job, bookmark) => (await publishing()).submit(job, bookmark),
  reconcile: async (job, bookmark) => (await publishing()).reconcile(job, bookmark),
  login: async (fetch, login) => (await logins()).login(fetch, login),
  identify: async (fetch, credentials, { service }) =>
    (await logins()).identify(fetch, credentials, service),
  refresh: async (fetch, credentials, account) =>
    (await logins()).refresh(fetch, credentials, account),
  revoke: async (fetch, credentials, account) =>
    (await logins()).revoke(fetch, credentials, account),
};
