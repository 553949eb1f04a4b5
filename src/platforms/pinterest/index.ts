import { DAY, SECOND } from "../../core/time.ts";
import type { Connector } from "../connector.ts";
import { lazily } from "../kit/lazily.ts";
import {
  apiVersion,
  asks,
  capabilities,
  mentions,
  needs,
  scopes,
  timing,
  untilAudit,
} from "./capabilities.ts";
import { type PinterestSettings, settings } from "./settings.ts";

export const pinterest: Connector<PinterestSettings> = {
  platform: "pinterest",
  name: "Pinterest",
  apiVersion,
  capabilities,
  needs,
  mentions,
  timing,
  untilAudit,
  // Access tokens live 30 days, refresh tokens 60.
  refreshAheadSeconds: (14 * DAY) / SECOND,
  settings,
  ...lazily(() => import("./setup-steps.ts"), "setupSteps"),
  ...lazily(() => import("./check.ts"), "check"),
  ...lazily(() => import("./likeness.ts"), "likeness", "describeSettings"),
  ...lazily(() => import("./publish.ts"), "prepare", "submit", "reconcile", "findPublished"),
  consent: { asks, ...scopes, ...lazily(() => import("./consent.ts"), "begin", "finish") },
  ...lazily(() => import("./app-check.ts"), "checkApp"),
  ...lazily(() => import("./auth.ts"), "identify", "refresh"),
  removal: {
    byHand: "Delete the pin at Pinterest.",
    calls: lazily(() => import("./removal.ts"), "remove", "readBack"),
  },
  correction: {
    byHand: "Edit the pin at Pinterest.",
    fields: ["title", "description"],
    calls: lazily(() => import("./correction.ts"), "textsOf", "correct", "shows"),
  },
  rehearsal: {
    seenByOwner: "Only people who share the board see it.",
    ...lazily(() => import("./rehearsal.ts"), "plan"),
    ...lazily(() => import("./removal.ts"), "readBack"),
  },
  metrics: {
    counts: ["views", "likes", "comments", "shares"],
    callsOf: () => 2,
    pagePosts: 50,
    ...lazily(() => import("./metrics.ts"), "readPage", "readFollowers"),
  },
  extras: lazily(() => import("./boards.ts"), "boards"),
};
