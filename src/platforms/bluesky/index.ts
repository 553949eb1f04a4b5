import { DAY, SECOND } from "../../core/time.ts";
import type { Connector } from "../connector.ts";
import { lazily } from "../kit/lazily.ts";
import { apiVersion, asks, capabilities, mentions, needs, scopes, timing } from "./capabilities.ts";
import { type BlueskySettings, settings } from "./settings.ts";

export const bluesky: Connector<BlueskySettings> = {
  platform: "bluesky",
  name: "Bluesky",
  apiVersion,
  capabilities,
  needs,
  mentions,
  timing,
  settings,
  /**
   * An unused refresh token lives 90 days.
   * @see https://github.com/bluesky-social/atproto/blob/main/packages/pds/src/account-manager/helpers/auth.ts
   */
  refreshAheadSeconds: (30 * DAY) / SECOND,
  ...lazily(() => import("./setup-steps.ts"), "setupSteps"),
  ...lazily(() => import("./check.ts"), "check"),
  ...lazily(() => import("./likeness.ts"), "likeness", "describeSettings"),
  ...lazily(() => import("./sent.ts"), "sentBytes"),
  ...lazily(() => import("./publish.ts"), "prepare", "submit", "reconcile"),
  ...lazily(() => import("./restored.ts"), "findPublished"),
  followUps: {
    kinds: ["post", "comment"],
    settingsOf: ({ bluesky_langs, bluesky_labels }) => ({
      bluesky_langs,
      bluesky_labels,
      bluesky_alt_text: "",
    }),
  },
  consent: {
    asks,
    ...scopes,
    identifierLabel: "Handle or server",
    needsNoApp: true,
    ...lazily(() => import("./consent.ts"), "begin", "finish"),
    ...lazily(() => import("./client.ts"), "clientMetadata"),
  },
  removal: {
    byHand: "Delete the post in the Bluesky app.",
    calls: lazily(() => import("./removal.ts"), "remove", "readBack"),
  },
  correction: {
    byHand: "Take the post down with POST /upload/{id}/unpublish, then publish a new one.",
    fields: [],
  },
  rehearsal: {
    ...lazily(() => import("./rehearsal.ts"), "plan"),
    ...lazily(() => import("./removal.ts"), "readBack"),
  },
  metrics: {
    counts: ["likes", "comments", "shares"],
    callsOf: () => 1,
    pagePosts: 50,
    isPublic: true,
    ...lazily(() => import("./metrics.ts"), "readPage", "readFollowers"),
  },
  extras: {
    mentions: {
      query: /^[^\p{Cc}]{1,64}$/u,
      expected: "a part of a name or handle, of up to 64 characters",
      ...lazily(() => import("./find-mentions.ts"), "find"),
    },
  },
  ...lazily(() => import("./grant.ts"), "proveLogin"),
  logins: [
    {
      title: "By an app password",
      fields: [
        { name: "identifier", label: "Handle", maxLength: 320 },
        {
          name: "appPassword",
          label: "App password",
          hint: "made in the settings there, for this service alone",
          maxLength: 100,
          isSecret: true,
        },
        {
          name: "authFactorToken",
          label: "Code",
          hint: "that the account was sent, where it asks for one",
          maxLength: 50,
          isOptional: true,
        },
        {
          name: "service",
          label: "Server",
          hint: "only where it is not the usual one",
          maxLength: 2_048,
          isOptional: true,
          isAddress: true,
        },
      ],
      ...lazily(() => import("./auth.ts"), "connect"),
    },
  ],
  ...lazily(() => import("./auth.ts"), "identify", "refresh", "revoke"),
};
