import type { Connector } from "../connector.ts";
import { earlyEnd } from "../google/early-end.ts";
import { lazily } from "../kit/lazily.ts";
import {
  apiVersion,
  asks,
  capabilities,
  FORCE_SSL,
  mentions,
  needs,
  scopes,
  terms,
  timing,
  untilAudit,
} from "./capabilities.ts";
import { settings, type YouTubeSettings } from "./settings.ts";

export const youtube: Connector<YouTubeSettings> = {
  platform: "youtube",
  name: "YouTube",
  apiVersion,
  capabilities,
  needs,
  mentions,
  terms,
  timing,
  untilAudit,
  settings,
  ...lazily(() => import("./setup-steps.ts"), "setupSteps"),
  ...lazily(() => import("./check.ts"), "check"),
  ...lazily(() => import("./likeness.ts"), "likeness", "describeSettings"),
  ...lazily(() => import("./sent.ts"), "sentBytes"),
  ...lazily(() => import("./publish.ts"), "prepare", "submit", "settle", "reconcile"),
  followUps: {
    kinds: ["comment"],
    settingsOf: (settings) => settings,
    comment: lazily(() => import("./comment.ts"), "prepare", "submit", "reconcile", "check"),
  },
  consent: { asks, ...scopes, ...lazily(() => import("./consent.ts"), "begin", "finish") },
  ...lazily(() => import("./app-check.ts"), "checkApp"),
  ...lazily(() => import("./auth.ts"), "identify", "refresh"),
  ...lazily(() => import("../google/login.ts"), "revoke"),
  metrics: {
    counts: ["views", "likes", "comments"],
    callsOf: (cursor) => (cursor === null ? 3 : 2),
    pagePosts: 50,
    /** @see https://developers.google.com/youtube/terms/developer-policies III.E.2 and III.E.4 */
    keepDays: 30,
    isKeptApart: true,
    ...lazily(() => import("./metrics.ts"), "readPage", "readFollowers"),
  },
  earlyEnd,
  removal: {
    byHand: "Delete the video at https://studio.youtube.com, Content.",
    scope: FORCE_SSL,
    calls: lazily(() => import("./removal.ts"), "remove", "readBack"),
  },
  correction: {
    byHand: "Edit the video at https://studio.youtube.com, Content.",
    fields: ["title", "description"],
    scope: FORCE_SSL,
    calls: lazily(() => import("./correction.ts"), "textsOf", "correct", "shows"),
  },
  rehearsal: {
    seenByOwner: "Only people who manage the channel see it.",
    ...lazily(() => import("./rehearsal.ts"), "plan"),
    ...lazily(() => import("./removal.ts"), "readBack"),
  },
  isRevokedForPerson: true,
};
