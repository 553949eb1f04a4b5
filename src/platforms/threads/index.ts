import { DAY, SECOND } from "../../core/time.ts";
import type { Connector } from "../connector.ts";
import { lazily } from "../kit/lazily.ts";
import {
  apiVersion,
  asks,
  capabilities,
  DELETES,
  EACH,
  EACH_PAGE,
  mentions,
  needs,
  OWN_REPLIES,
  scopes,
  timing,
  untilAudit,
} from "./capabilities.ts";
import { partSettings, settings, type ThreadsSettings } from "./settings.ts";

export const threads: Connector<ThreadsSettings> = {
  platform: "threads",
  name: "Threads",
  apiVersion,
  capabilities,
  needs,
  mentions,
  timing,
  untilAudit,
  // After 60 days, tokens cannot be renewed.
  refreshAheadSeconds: (20 * DAY) / SECOND,
  isSelfRenewing: true,
  settings,
  ...lazily(() => import("./setup-steps.ts"), "setupSteps"),
  ...lazily(() => import("./check.ts"), "check"),
  ...lazily(() => import("./likeness.ts"), "likeness", "describeSettings"),
  removal: {
    byHand: "Delete the post in the Threads app.",
    scope: DELETES,
    calls: lazily(() => import("./removal.ts"), "remove", "readBack"),
  },
  correction: {
    byHand:
      "Edit the post in the Threads app, which takes edits for a short time. Or take it down with POST /upload/{id}/unpublish, then publish a new one.",
    fields: [],
  },
  rehearsal: {
    ...lazily(() => import("./rehearsal.ts"), "plan"),
    ...lazily(() => import("./removal.ts"), "readBack"),
  },
  ...lazily(
    () => import("./publish.ts"),
    "prepare",
    "submit",
    "settle",
    "reconcile",
    "findPublished",
  ),
  followUps: { kinds: ["post", "comment"], settingsOf: partSettings },
  ...lazily(() => import("./app-check.ts"), "checkApp"),
  ...lazily(() => import("./auth.ts"), "adopt", "identify", "refresh"),
  consent: { asks, ...scopes, ...lazily(() => import("./consent.ts"), "begin", "finish") },
  metrics: {
    counts: ["views", "likes", "comments", "shares"],
    callsOf: (cursor) =>
      cursor?.startsWith(EACH) || cursor?.startsWith(OWN_REPLIES) ? 1 + EACH_PAGE : 1,
    pagePosts: 50,
    ...lazily(() => import("./metrics.ts"), "readPage", "readFollowers"),
  },
  withdrawals: {
    fields: { withdrawn: "Uninstall callback URL", deletion: "Delete callback URL" },
    ...lazily(() => import("../meta/signed-request.ts"), "read"),
  },
};
