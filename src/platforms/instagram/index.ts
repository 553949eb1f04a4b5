import { DAY, SECOND } from "../../core/time.ts";
import type { Connector } from "../connector.ts";
import { lazily } from "../kit/lazily.ts";
import {
  apiVersion,
  asks,
  capabilities,
  INSIGHT_CALLS,
  MAX_IMAGE_BYTES,
  mentions,
  needs,
  scopes,
  timing,
  untilAudit,
} from "./capabilities.ts";
import { type InstagramSettings, settings } from "./settings.ts";

export const instagram: Connector<InstagramSettings> = {
  platform: "instagram",
  name: "Instagram",
  apiVersion,
  capabilities,
  needs,
  mentions,
  timing,
  untilAudit,
  // After 60 days, tokens cannot be renewed.
  refreshAheadSeconds: (10 * DAY) / SECOND,
  isSelfRenewing: true,
  settings,
  settingFiles: { cover_url: { kind: "image", maxBytes: MAX_IMAGE_BYTES } },
  batchFlags: {
    instagram_as_story: {
      settings: { media_type: "STORIES" },
      description: "Publishes the Instagram posts of the batch as stories.",
    },
  },
  ...lazily(() => import("./setup-steps.ts"), "setupSteps"),
  ...lazily(() => import("./check.ts"), "check"),
  ...lazily(() => import("./likeness.ts"), "likeness", "describeSettings"),
  ...lazily(
    () => import("./publish.ts"),
    "prepare",
    "submit",
    "settle",
    "reconcile",
    "findPublished",
  ),
  ...lazily(() => import("./app-check.ts"), "checkApp"),
  ...lazily(() => import("./auth.ts"), "adopt", "identify", "refresh"),
  followUps: {
    kinds: ["comment"],
    settingsOf: (settings) => settings,
    comment: lazily(() => import("./comment.ts"), "prepare", "submit", "reconcile", "check"),
  },
  consent: { asks, ...scopes, ...lazily(() => import("./consent.ts"), "begin", "finish") },
  metrics: {
    counts: ["views", "likes", "comments", "shares"],
    callsOf: () => 1 + INSIGHT_CALLS,
    pagePosts: 50,
    ...lazily(() => import("./metrics.ts"), "readPage", "readFollowers"),
  },
  removal: {
    byHand: "Delete the post in the Instagram app.",
  },
  correction: {
    byHand: "Edit the caption in the Instagram app.",
    fields: [],
  },
  rehearsal: {
    byHand: "Instagram drops the unpublished container by itself after 24 hours.",
    ...lazily(() => import("./rehearsal.ts"), "plan", "draftId", "readBack"),
  },
  withdrawals: {
    fields: { withdrawn: "Deauthorize callback URL", deletion: "Data deletion request URL" },
    // Meta does not say whether Instagram's or Facebook's app secret signs.
    alsoSignedBy: ["facebook"],
    ...lazily(() => import("../meta/signed-request.ts"), "read"),
  },
};
