import { MINUTE } from "../../core/time.ts";
import { refusedUrl } from "../../core/url-policy.ts";
import type { ConsentFailure, ConsentScopes } from "../../platforms/consent.ts";
import type { ConsentRow } from "./table.ts";

/** How long an address that leads to a consent page can be opened, and how long a person may stay there. */
export const CONSENT_LIFETIME_MS = 10 * MINUTE;
/** How long a person may choose between accounts. Spec is silent. */
export const CHOICE_LIFETIME_MS = 30 * MINUTE;
/** Characters of a handle or the address of a server. Spec is silent. */
export const MAX_IDENTIFIER = 320;
/** More than anybody administers; what the choice is made from is one row. Spec is silent. */
export const MAX_CHOICES = 500;

/** The path that a platform sends people back to, as its owner registers it there. */
export const callbackPath = (platform: string): string => `/oauth/callback/${platform}`;

/** The path to which a platform reports withdrawn consent. */
export const withdrawnPath = (platform: string): string => `/oauth/withdrawn/${platform}`;

/** The path at which a platform asks for a person's data to be deleted. */
export const deletionRequestPath = (platform: string): string => `/oauth/data-deletion/${platform}`;

/** The path of the document by which a platform knows this instance. */
export const clientMetadataPath = (platform: string): string =>
  `/oauth/${platform}/client-metadata.json`;

/** The path that leads to the consent page. */
export const openerPath = (token: string): string => `/oauth/start/${token}`;

/** The value of `done` under which a link's page is reached by whoever has just connected an account. */
export const LINK_DONE = "connected";

/** The path at which a try has ended that leads on to nowhere else. */
export const donePath = (id: number): string => `/oauth/done/${id}`;

export const choicePath = (id: number): string => `/oauth/choose/${id}`;

/** Reasons why nothing was connected, as the site that a person is sent back to gets them. */
export type Ending = ConsentFailure | "expired" | "taken" | "other_account" | "unknown";

/** Why a person cannot go on with a try; null where they can. */
export type Obstacle = { ending: Ending; message: string };

const AGAIN = "Begin again where you came from.";

export const UNKNOWN: Obstacle = {
  ending: "unknown",
  message: `This address leads nowhere: it was not made here, or is no longer known. ${AGAIN}`,
};

const OTHER_BROWSER: Obstacle = {
  ending: "unknown",
  message: `This was begun in another browser, or cookies are switched off here. ${AGAIN}`,
};

export const USED: Obstacle = {
  ending: "unknown",
  message: "This was done already. Look at the accounts: the one that you meant may be connected.",
};

export const UNDER_WAY: Obstacle = {
  ending: "unknown",
  message: "This is being done right now. Open this page again in a moment.",
};

/** Told for a link that cannot be used any more. */
export const LINK_OVER: Obstacle = {
  ending: "expired",
  message: "This link was used, has expired, or was withdrawn. Ask for a new one.",
};

const EXPIRED: Obstacle = {
  ending: "expired",
  message: `That took too long, so it no longer counts. ${AGAIN}`,
};

/** Returns why the platform's page cannot be opened by this try, or null. */
export function refusedOpening(consent: ConsentRow, now: Date): Obstacle | null {
  if (consent.step !== "open" && consent.step !== "sent") return USED;
  return consent.createdAt.getTime() + CONSENT_LIFETIME_MS > now.getTime() ? null : EXPIRED;
}

/** Returns why a person who comes back cannot go on, or null. `browserHash`: null without a cookie. */
export function refusedReturn(
  consent: ConsentRow,
  step: "sent" | "choosing",
  browserHash: string | null,
  now: Date,
): Obstacle | null {
  if (consent.browserHash === null || consent.browserHash !== browserHash) return OTHER_BROWSER;
  if (consent.step !== step) return USED;
  return consent.expiresAt > now ? null : EXPIRED;
}

/** Names the scopes of a list that were not granted; none where the platform does not tell. */
export const missingOf = (
  wanted: readonly string[],
  granted: readonly string[] | null,
): string[] => (granted === null ? [] : wanted.filter((scope) => !granted.includes(scope)));

/** Names permissions as people say them, each with the platform's own name behind it. */
export const describeScopes = (
  scopes: readonly string[],
  inWords: ConsentScopes["inWords"] = {},
): string =>
  scopes
    .map((scope) => (inWords[scope] ? `permission to ${inWords[scope]} (${scope})` : scope))
    .join(", ");

/** Returns why a consent is not enough to publish with, or null. @param name of the platform */
export function refusedScopes(
  { required, inWords }: ConsentScopes,
  granted: readonly string[] | null,
  name: string,
): string | null {
  const missing = missingOf(required, granted);
  if (missing.length === 0) return null;
  return `${name} did not grant ${describeScopes(missing, inWords)}, without which nothing can be published. Connect the account again, and leave every permission switched on.`;
}

/** Hosts of sites under development. */
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** Names that a policy of a page can hold: a URL's host may contain its `;`, `,`, `'` and `*`. */
const PLAIN_HOST = /^[a-z0-9._-]+$/;

/**
 * Returns why an address cannot be one that people are sent on to, or a picture of a page, or null. Its
 * origin may stand in a page's policy.
 */
export function refusedRedirect(text: string, { isDevelopment }: { isDevelopment: boolean }) {
  if (!/^[\x21-\x5b\x5d-\x7e]+$/.test(text)) return "must be a plain https URL";
  const host = URL.canParse(text) ? new URL(text).hostname : "";
  const isHere = isDevelopment && LOOPBACK.test(host);
  const refusal = refusedUrl(text, { allowLoopback: isHere });
  if (refusal) return refusal;
  return isHere || PLAIN_HOST.test(host) ? null : "must have a plain host name";
}

/**
 * The sources that a form leads to which ends at a platform's consent page, for a page's policy: browsers judge
 * its redirects, and the server of an account may be anywhere.
 */
export const consentFormTargets = ({ isDevelopment }: { isDevelopment: boolean }): string =>
  isDevelopment ? "https: http:" : "https:";

/** The way it ended, for the site that a person is sent back to. */
export type ConnectResult =
  | { status: "connected"; accountIds: string[] }
  | { status: "failed"; error: Ending; message: string };

/** Adds the outcome to the address that a person is sent on to. */
export function redirectTarget(
  redirectUrl: string,
  platform: string,
  outcome: ConnectResult,
): string {
  const url = new URL(redirectUrl);
  const { searchParams } = url;
  searchParams.set("status", outcome.status);
  searchParams.set("platform", platform);
  if (outcome.status === "connected") searchParams.set("accountId", outcome.accountIds.join(","));
  else {
    searchParams.set("error", outcome.error);
    searchParams.set("message", outcome.message);
  }
  return url.href;
}
