import { DAY, SECOND } from "../../core/time.ts";
import type { Connector } from "../connector.ts";
import { lazily } from "../kit/lazily.ts";
import {
  apiVersion,
  asks,
  capabilities,
  mentions,
  needs,
  pictureHosts,
  scopes,
  timing,
  untilAudit,
  verifiedPull,
} from "./capabilities.ts";
import { settings, type TikTokSettings } from "./settings.ts";

export const tiktok: Connector<TikTokSettings> = {
  platform: "tiktok",
  name: "TikTok",
  apiVersion,
  capabilities,
  needs,
  mentions,
  timing,
  verifiedPull,
  untilAudit,
  // Logins end after 180 days; early renewal keeps unused accounts connected.
  refreshAheadSeconds: (30 * DAY) / SECOND,
  settings,
  ...lazily(() => import("./setup-steps.ts"), "setupSteps"),
  ...lazily(() => import("./check.ts"), "check"),
  ...lazily(() => import("./likeness.ts"), "likeness", "describeSettings"),
  ...lazily(() => import("./sent.ts"), "sentBytes"),
  ...lazily(() => import("./publish.ts"), "prepare", "submit", "settle", "reconcile"),
  consent: { asks, ...scopes, ...lazily(() => import("./consent.ts"), "begin", "finish") },
  ...lazily(() => import("./app-check.ts"), "checkApp"),
  ...lazily(() => import("./auth.ts"), "identify", "refresh", "revoke"),
  removal: {
    byHand: "Delete the post in the TikTok app.",
  },
  correction: {
    byHand: "Delete the post in the TikTok app, then publish a new one.",
    fields: [],
  },
  rehearsal: {
    seenByOwner: "Only the account itself sees it.",
    byHand:
      "TikTok's API deletes nothing. Delete the video in the TikTok app, in your profile under private videos.",
    ...lazily(() => import("./rehearsal.ts"), "plan", "readBack"),
  },
  metrics: {
    counts: ["views", "likes", "comments", "shares"],
    callsOf: () => 1,
    pagePosts: 20,
    ...lazily(() => import("./metrics.ts"), "readPage", "readFollowers"),
  },
  withdrawals: {
    fields: { withdrawn: "Webhook callback URL" },
    ...lazily(() => import("./webhook.ts"), "read"),
  },
  extras: {
    pictureHosts,
    ...lazily(() => import("./stats.ts"), "stats"),
    ...lazily(() => import("./creator.ts"), "creator"),
  },
};
