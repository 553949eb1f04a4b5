import type { Connector } from "../connector.ts";
import { earlyEnd } from "../google/early-end.ts";
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
import { type GoogleBusinessSettings, settings } from "./settings.ts";

const BY_HAND =
  "at Google: search for the business while you are signed in as its manager, then open its updates.";

/** Without metrics: Google ended the figures of posts in February 2023, and profiles have no followers. */
export const googleBusiness: Connector<GoogleBusinessSettings> = {
  platform: "google_business",
  name: "Google Business",
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
  ...lazily(
    () => import("./publish.ts"),
    "prepare",
    "submit",
    "settle",
    "reconcile",
    "findPublished",
  ),
  consent: { asks, ...scopes, ...lazily(() => import("./consent.ts"), "begin", "finish") },
  ...lazily(() => import("./app-check.ts"), "checkApp"),
  ...lazily(() => import("./auth.ts"), "identify", "refresh"),
  ...lazily(() => import("../google/login.ts"), "revoke"),
  isRevokedForPerson: true,
  earlyEnd,
  removal: {
    byHand: `Delete the post ${BY_HAND}`,
    calls: lazily(() => import("./removal.ts"), "remove", "readBack"),
  },
  correction: {
    byHand: `Edit the post ${BY_HAND}`,
    fields: ["description"],
    calls: lazily(() => import("./correction.ts"), "textsOf", "correct", "shows"),
  },
  rehearsal: {
    ...lazily(() => import("./rehearsal.ts"), "plan"),
    ...lazily(() => import("./removal.ts"), "readBack"),
  },
};
