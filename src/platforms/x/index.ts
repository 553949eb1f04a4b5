import type { Connector } from "../connector.ts";
import { lazily } from "../kit/lazily.ts";
import {
  apiVersion,
  asks,
  capabilities,
  MAX_SUBTITLES_BYTES,
  mentions,
  needs,
  onePerBatch,
  ownPrefix,
  PRICES,
  repeats,
  scopes,
  timing,
} from "./capabilities.ts";
import { partSettings, settings, type XSettings } from "./settings.ts";

const reader = () => import("./text.ts");

export const x: Connector<XSettings> = {
  platform: "x",
  name: "X",
  apiVersion,
  capabilities,
  needs,
  mentions,
  timing,
  paidPosts: { prices: PRICES, reader },
  repeatRule: { ...repeats, reader },
  onePerBatch,
  ownPrefix,
  settings,
  settingFiles: { x_subtitles_url: { kind: "subtitles", maxBytes: MAX_SUBTITLES_BYTES } },
  ...lazily(() => import("./setup-steps.ts"), "setupSteps"),
  ...lazily(() => import("./check.ts"), "check"),
  ...lazily(() => import("./likeness.ts"), "likeness", "describeSettings"),
  ...lazily(() => import("./sent.ts"), "sentBytes"),
  ...lazily(() => import("./publish.ts"), "prepare", "submit", "reconcile", "findPublished"),
  followUps: { kinds: ["post", "comment"], settingsOf: partSettings },
  consent: { asks, ...scopes, ...lazily(() => import("./consent.ts"), "begin", "finish") },
  metrics: {
    counts: ["views", "likes", "comments", "shares"],
    callsOf: () => 1,
    pagePosts: 50,
    // X charges for each post read.
    hoursBetweenReads: 20,
    ...lazily(() => import("./metrics.ts"), "readPage", "readFollowers"),
  },
  removal: {
    byHand: "Delete the post on X.",
    calls: lazily(() => import("./removal.ts"), "remove", "readBack"),
  },
  extras: {
    mentions: {
      query: /^[A-Za-z0-9_' ]{1,50}$/,
      expected: "a part of a name or handle: up to 50 letters of A to Z, digits, _, ' and spaces",
      ...lazily(() => import("./find-mentions.ts"), "find"),
    },
  },
  correction: {
    byHand:
      "Edit the post on X, which takes edits of Premium accounts for a short time. Or take it down with POST /upload/{id}/unpublish, then publish a new one.",
    fields: [],
  },
  rehearsal: {
    ...lazily(() => import("./rehearsal.ts"), "plan"),
    ...lazily(() => import("./removal.ts"), "readBack"),
  },
  ...lazily(() => import("./app-check.ts"), "checkApp"),
  ...lazily(() => import("./auth.ts"), "identify", "refresh", "revoke"),
};
