import type { Connector } from "../connector.ts";
import { lazily } from "../kit/lazily.ts";
import {
  apiVersion,
  asks,
  capabilities,
  needs,
  REFRESH_AHEAD_SECONDS,
  scopes,
  timing,
} from "./capabilities.ts";
import { type BlueskySettings, settings } from "./settings.ts";

export const bluesky: Connector<BlueskySettings> = {
  platform: "bluesky",
  name: "Bluesky",
  apiVersion,
  capabilities,
  needs,
  timing,
  settings,
  refreshAheadSeconds: REFRESH_AHEAD_SECONDS,
  ...lazily(() => import("./check.ts"), "check"),
  ...lazily(() => import("./likeness.ts"), "likeness", "describeSettings"),
  ...lazily(() => import("./sent.ts"), "sentBytes"),
  ...lazily(() => import("./publish.ts"), "prepare", "submit", "reconcile"),
  consent: {
    asks,
    ...scopes,
    identifierLabel: "Handle or server",
    needsNoApp: true,
    ...lazily(() => import("./consent.ts"), "begin", "finish"),
    ...lazily(() => import("./client.ts"), "clientMetadata"),
  },
  metrics: {
    counts: ["likes", "comments", "shares"],
    callsOf: () => 1,
    pagePosts: 50,
    isPublic: true,
    ...lazily(() => import("./metrics.ts"), "readPage", "readFollowers"),
  },
  ...lazily(() => import("./grant.ts"), "proveLogin"),
  ...lazily(() => import("./auth.ts"), "login", "identify", "refresh", "revoke"),
};
