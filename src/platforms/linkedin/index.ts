import { DAY, SECOND } from "../../core/time.ts";
import type { Connector } from "../connector.ts";
import { lazily } from "../kit/lazily.ts";
import {
  apiVersion,
  asks,
  capabilities,
  MEMBER_FIGURES,
  MEMBER_METRICS,
  MEMBER_POSTS_PER_READ,
  mentions,
  needs,
  PAGE_SCOPES,
  PAGES_APP,
  pagesAsks,
  pagesScopes,
  scopes,
  timing,
} from "./capabilities.ts";
import { type LinkedInSettings, settings } from "./settings.ts";

const isPage = (platformAccountId: string): boolean =>
  platformAccountId.startsWith("urn:li:organization:");

export const linkedin: Connector<LinkedInSettings> = {
  platform: "linkedin",
  name: "LinkedIn",
  apiVersion,
  capabilities,
  needs,
  mentions,
  timing,
  // Used only while the refresh token's end is unknown.
  refreshAheadSeconds: (14 * DAY) / SECOND,
  settings,
  ...lazily(() => import("./setup-steps.ts"), "setupSteps"),
  ...lazily(() => import("./check.ts"), "check"),
  ...lazily(() => import("./likeness.ts"), "likeness", "describeSettings"),
  ...lazily(() => import("./sent.ts"), "sentBytes"),
  ...lazily(() => import("./publish.ts"), "prepare", "submit"),
  ...lazily(() => import("./reconcile.ts"), "reconcile", "findPublished"),
  followUps: {
    kinds: ["comment"],
    settingsOf: (settings) => settings,
    comment: lazily(() => import("./first-comment.ts"), "prepare", "submit", "reconcile", "check"),
  },
  consent: { asks, ...scopes, ...lazily(() => import("./consent.ts"), "begin", "finish") },
  pagesApp: {
    app: PAGES_APP,
    isPage,
    scopes: PAGE_SCOPES,
    consent: {
      asks: pagesAsks,
      publishesAs: "a LinkedIn page that you manage",
      ...pagesScopes,
      ...lazily(() => import("./pages-consent.ts"), "begin", "finish"),
    },
  },
  ...lazily(() => import("./app-check.ts"), "checkApp"),
  ...lazily(() => import("./auth.ts"), "identify", "refresh", "revoke"),
  isRevokedForPerson: true,
  removal: {
    byHand: "Delete the post on LinkedIn.",
    calls: lazily(() => import("./removal.ts"), "remove", "readBack"),
  },
  correction: {
    byHand: "Edit the post on LinkedIn.",
    fields: ["description"],
    calls: lazily(() => import("./correction.ts"), "textsOf", "correct", "shows"),
  },
  rehearsal: {
    ...lazily(() => import("./rehearsal.ts"), "plan"),
    ...lazily(() => import("./removal.ts"), "readBack"),
  },
  metrics: {
    counts: ["views", "likes", "comments", "shares"],
    callsOf: () => 3,
    pagePosts: 50,
    covers: ({ platformAccountId }) => isPage(platformAccountId),
    ...lazily(() => import("./metrics.ts"), "readPage", "readFollowers"),
    others: [
      {
        counts: ["views", "likes", "comments", "shares"],
        callsOf: () => MEMBER_POSTS_PER_READ * MEMBER_METRICS,
        pagePosts: MEMBER_POSTS_PER_READ,
        hoursBetweenReads: 20,
        covers: ({ platformAccountId, grantedScopes = [] }) =>
          !isPage(platformAccountId) && grantedScopes.includes(MEMBER_FIGURES),
        ...lazily(() => import("./member-metrics.ts"), "readPage", "readFollowers"),
      },
    ],
  },
  extras: {
    comments: {
      postId: /^urn:li:(?:share|ugcPost|activity):\d{1,25}$/,
      example: "a LinkedIn post such as urn:li:share:7123456789",
      written: "`urn:li:share:…` or `urn:li:ugcPost:…`",
      refusal: "is not a LinkedIn page: LinkedIn gives only the comments on posts of pages",
      ...lazily(() => import("./comments.ts"), "read"),
    },
    mentions: {
      query:
        /^(?:(?:https?:\/\/)?(?:[a-z]+\.)?linkedin\.com\/(?:company|school|showcase)\/)?[\p{L}\p{N}][\p{L}\p{N}&'._-]{0,99}(?:[/?#].*)?$/iu,
      expected: "the name in the address of a page, as acme of linkedin.com/company/acme",
      ...lazily(() => import("./find-mentions.ts"), "find"),
    },
    pages: async (fetch, accessToken) => (await import("./pages.ts")).listPages(fetch, accessToken),
  },
};
