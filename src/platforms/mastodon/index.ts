import { DAY, SECOND } from "../../core/time.ts";
import type { Connector } from "../connector.ts";
import { lazily } from "../kit/lazily.ts";
import {
  apiVersion,
  asks,
  capabilities,
  mentions,
  needs,
  ownPrefix,
  scopes,
  timing,
} from "./capabilities.ts";
import { type MastodonSettings, partSettings, settings } from "./settings.ts";

export const mastodon: Connector<MastodonSettings> = {
  platform: "mastodon",
  name: "Mastodon",
  apiVersion,
  capabilities,
  needs,
  mentions,
  timing,
  ownPrefix,
  settings,
  /** Most logins have no end, and are asked about once a day, which also reads the server's limits. */
  isSelfRenewing: true,
  refreshAheadSeconds: (30 * DAY) / SECOND,
  ...lazily(() => import("./setup-steps.ts"), "setupSteps"),
  ...lazily(() => import("./check.ts"), "check"),
  ...lazily(() => import("./likeness.ts"), "likeness", "describeSettings"),
  ...lazily(() => import("./publish.ts"), "prepare", "submit", "reconcile", "findPublished"),
  followUps: { kinds: ["post", "comment"], settingsOf: partSettings },
  consent: {
    asks,
    ...scopes,
    identifierLabel: "Server",
    needsNoApp: true,
    ...lazily(() => import("./consent.ts"), "begin", "finish", "refusedIdentifier"),
  },
  metrics: {
    counts: ["likes", "comments", "shares"],
    callsOf: () => 1,
    pagePosts: 40,
    ...lazily(() => import("./metrics.ts"), "readPage", "readFollowers"),
  },
  removal: {
    byHand: "Delete the post on its server.",
    calls: lazily(() => import("./removal.ts"), "remove", "readBack"),
  },
  correction: {
    byHand: "Edit the post on its server.",
    fields: ["description"],
    calls: lazily(() => import("./correction.ts"), "correct", "shows", "textsOf"),
  },
  extras: {
    mentions: {
      query: /^[^\p{Cc}]{1,100}$/u,
      expected: "a part of a name or handle, of up to 100 characters",
      ...lazily(() => import("./find-mentions.ts"), "find"),
    },
  },
  rehearsal: {
    ...lazily(() => import("./rehearsal.ts"), "plan"),
    ...lazily(() => import("./removal.ts"), "readBack"),
    seenByOwner: "Only the account itself sees the post.",
  },
  ...lazily(() => import("./auth.ts"), "identify", "refresh", "revoke", "readServerLimits"),
};
