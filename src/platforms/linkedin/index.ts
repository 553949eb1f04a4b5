import { DAY, SECOND } from "../../core/time.ts";
import type { Connector } from "../connector.ts";
import { lazily } from "../kit/lazily.ts";
import { apiVersion, asks, capabilities, needs, scopes, timing } from "./capabilities.ts";
import { type LinkedInSettings, settings } from "./settings.ts";

export const linkedin: Connector<LinkedInSettings> = {
  platform: "linkedin",
  name: "LinkedIn",
  apiVersion,
  capabilities,
  needs,
  timing,
  // Used only while the refresh token's end is unknown.
  refreshAheadSeconds: (14 * DAY) / SECOND,
  settings,
  ...lazily(() => import("./check.ts"), "check"),
  ...lazily(() => import("./likeness.ts"), "likeness", "describeSettings"),
  ...lazily(() => import("./sent.ts"), "sentBytes"),
  ...lazily(() => import("./publish.ts"), "prepare", "submit"),
  ...lazily(() => import("./reconcile.ts"), "reconcile"),
  consent: { asks, ...scopes, ...lazily(() => import("./consent.ts"), "begin", "finish") },
  ...lazily(() => import("./app-check.ts"), "checkApp"),
  ...lazily(() => import("./auth.ts"), "identify", "refresh", "revoke"),
  isRevokedForPerson: true,
  rehearsal: {
    byHand: "Delete the post on LinkedIn.",
    ...lazily(() => import("./rehearsal.ts"), "plan", "readBack", "remove"),
  },
  metrics: {
    counts: ["views", "likes", "comments", "shares"],
    callsOf: () => 3,
    pagePosts: 50,
    // LinkedIn has figures for pages only.
    covers: ({ platformAccountId }) => platformAccountId.startsWith("urn:li:organization:"),
    ...lazily(() => import("./metrics.ts"), "readPage", "readFollowers"),
  },
  extras: {
    comments: {
      postId: /^urn:li:(?:share|ugcPost|activity):\d{1,25}$/,
      example: "a LinkedIn post such as urn:li:share:7123456789",
      written: "`urn:li:share:…` or `urn:li:ugcPost:…`",
      refusal: "is not a LinkedIn page: LinkedIn gives only the comments on posts of pages",
      ...lazily(() => import("./comments.ts"), "read"),
    },
    pages: async (fetch, accessToken) => (await import("./pages.ts")).listPages(fetch, accessToken),
  },
};
