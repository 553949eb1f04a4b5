import type { Connector } from "../connector.ts";
import { lazily } from "../kit/lazily.ts";
import { withAppSecretProof } from "../meta/app-secret-proof.ts";
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
import { type FacebookSettings, settings } from "./settings.ts";

export const facebook: Connector<FacebookSettings> = {
  platform: "facebook",
  name: "Facebook",
  apiVersion,
  capabilities,
  needs,
  mentions,
  timing,
  untilAudit,
  settings,
  ...lazily(() => import("./setup-steps.ts"), "setupSteps"),
  ...lazily(() => import("./check.ts"), "check"),
  ...lazily(() => import("./likeness.ts"), "likeness", "describeSettings"),
  ...lazily(() => import("./sent.ts"), "sentBytes"),
  ...lazily(
    () => import("./publish.ts"),
    "prepare",
    "submit",
    "settle",
    "reconcile",
    "findPublished",
  ),
  followUps: {
    kinds: ["comment"],
    settingsOf: (settings) => settings,
    comment: lazily(() => import("./comment.ts"), "prepare", "submit", "reconcile", "check"),
  },
  ...lazily(() => import("./app-check.ts"), "checkApp"),
  ...lazily(() => import("./auth.ts"), "identify"),
  ...lazily(() => import("./lasting.ts"), "adopt", "refresh"),
  prove: (network, app) => withAppSecretProof(network, app.clientSecret),
  consent: {
    asks,
    publishesAs: "a Facebook Page that you manage",
    ...scopes,
    ...lazily(() => import("./consent.ts"), "begin", "finish"),
  },
  metrics: {
    counts: ["views", "likes", "comments", "shares"],
    callsOf: () => 2,
    pagePosts: 50,
    ...lazily(() => import("./metrics.ts"), "readPage", "readFollowers"),
  },
  removal: {
    byHand: "Delete the post on the Facebook Page.",
    calls: lazily(() => import("./removal.ts"), "remove", "readBack"),
  },
  correction: {
    byHand: "Edit the post on the Facebook Page.",
    fields: ["description"],
    calls: lazily(() => import("./correction.ts"), "textsOf", "correct", "shows"),
  },
  rehearsal: {
    seenByOwner: "Only people who manage the Page see it.",
    byHand: "Delete it in Meta Business Suite, where the Page's unpublished posts are listed.",
    ...lazily(() => import("./rehearsal.ts"), "plan"),
    ...lazily(() => import("./removal.ts"), "readBack"),
  },
  withdrawals: {
    fields: { withdrawn: "Deauthorize callback URL", deletion: "Data deletion request URL" },
    ...lazily(() => import("../meta/signed-request.ts"), "read"),
  },
};
