import { AppError } from "../../core/errors.ts";
import type { Platform } from "../../core/platforms.ts";
import { DAY, MINUTE } from "../../core/time.ts";
import { refusedUrl } from "../../core/url-policy.ts";
import type { ConsentFailure, ConsentScopes } from "../../platforms/consent.ts";
import type { AccountMode } from "../accounts/table.ts";
import type { AccountType, ConnectionLinkRow, ConsentRow } from "./table.ts";

export interface ConsentRequest {
  platform: Platform;
  mode: AccountMode;
  type: AccountType | null;
  /** The account's handle or server, if the platform needs it first. */
  identifier: string | null;
  redirectUrl: string | null;
}

/** Limit for opening the start address, and for returning from the platform. */
export const CONSENT_LIFETIME_MS = 10 * MINUTE;

/** Spec is silent. */
export const CHOICE_LIFETIME_MS = 30 * MINUTE;

/** Spec is silent. */
export const MAX_IDENTIFIER = 320;

/** Accounts stored in one row. Spec is silent. */
export const MAX_CHOICES = 500;

export const callbackPath = (platform: string): string => `/oauth/callback/${platform}`;

export const clientMetadataPath = (platform: string): string =>
  `/oauth/${platform}/client-metadata.json`;

export const openerPath = (token: string): string => `/oauth/start/${token}`;

/** Value of `?done=` for a link's success page. */
export const LINK_DONE = "connected";

export const donePath = (id: number): string => `/oauth/done/${id}`;

export const choicePath = (id: number): string => `/oauth/choose/${id}`;

export type Ending = ConsentFailure | "expired" | "taken" | "other_account" | "unknown";

export type Obstacle = { ending: Ending; message: string };

const AGAIN = "Begin again where you came from.";

export const UNKNOWN: Obstacle = {
  ending: "unknown",
  message: `This address leads nowhere: it was not made here, or is no longer known. ${AGAIN}`,
};

export const REFUSED_WITHOUT_STATE: Obstacle = {
  ending: "declined",
  message: `The platform sent you back without permission for the account. Nothing was connected. ${AGAIN}`,
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

export const LINK_OVER: Obstacle = {
  ending: "expired",
  message: "This link was used, has expired, or was withdrawn. Ask for a new one.",
};

const EXPIRED: Obstacle = {
  ending: "expired",
  message: `That took too long, so it no longer counts. ${AGAIN}`,
};

export function refusedOpening(consent: ConsentRow, now: Date): Obstacle | null {
  if (consent.step !== "open" && consent.step !== "sent") return USED;
  return consent.createdAt.getTime() + CONSENT_LIFETIME_MS > now.getTime() ? null : EXPIRED;
}

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

/** No scope is missing if the platform reports none. */
export const missingOf = (
  requested: readonly string[],
  granted: readonly string[] | null,
): string[] => (granted === null ? [] : requested.filter((scope) => !granted.includes(scope)));

export const describeScopes = (
  scopes: readonly string[],
  inWords: ConsentScopes["inWords"] = {},
): string =>
  scopes
    .map((scope) => (inWords[scope] ? `permission to ${inWords[scope]} (${scope})` : scope))
    .join(", ");

export function refusedScopes(
  { required, inWords }: ConsentScopes,
  granted: readonly string[] | null,
  name: string,
): string | null {
  const missing = missingOf(required, granted);
  if (missing.length === 0) return null;
  return `${name} did not grant ${describeScopes(missing, inWords)}, without which nothing can be published. Connect the account again, and leave every permission switched on.`;
}

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** A URL's host may contain `;`, `,`, `'` and `*`, which are unsafe in a Content-Security-Policy. */
const PLAIN_HOST = /^[a-z0-9._-]+$/;

/** Returns why an address cannot be a redirect target or image. A valid origin is safe in a Content-Security-Policy. */
export function refusedRedirect(text: string, { isDevelopment }: { isDevelopment: boolean }) {
  if (!/^[\x21-\x5b\x5d-\x7e]+$/.test(text)) return "must be a plain https URL";
  const host = URL.canParse(text) ? new URL(text).hostname : "";
  const isHere = isDevelopment && LOOPBACK.test(host);
  const refusal = refusedUrl(text, { allowLoopback: isHere });
  if (refusal) return refusal;
  return isHere || PLAIN_HOST.test(host) ? null : "must have a plain host name";
}

/** For the CSP's `form-action`: browsers check each redirect of a form, and an account's server may be anywhere. */
export const consentFormTargets = ({ isDevelopment }: { isDevelopment: boolean }): string =>
  isDevelopment ? "https: http:" : "https:";

export type ConnectResult =
  | { status: "connected"; accountIds: string[] }
  | { status: "failed"; error: Ending; message: string };

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

export const linkPath = (token: string): string => `/connect/${token}`;

/** Source: spec, "Other limits". */
export const DEFAULT_LINK_HOURS = 24;

/** Spec is silent. */
export const MAX_LINK_HOURS = 720;

/** Spec is silent. */
export const MAX_PENDING_LINKS = 100;

/** Besides all pending ones. Spec is silent. */
export const MAX_LISTED_LINKS = 200;

/** How long the page of an ended link shows what happened. */
export const LINKS_KEPT_MS = 30 * DAY;

/** A claim without an account blocks the link this long. */
const CLAIM_MS = 2 * MINUTE;

export const claimsEndAt = (now: Date): Date => new Date(now.getTime() - CLAIM_MS);

/** The spec names only `pending` ("States and transitions"). */
export const LINK_STATUSES = ["pending", "connected", "expired"] as const;

export type LinkStatus = (typeof LINK_STATUSES)[number];

export function linkStatus(
  { accountId, expiresAt }: Pick<ConnectionLinkRow, "accountId" | "expiresAt">,
  now: Date,
): LinkStatus {
  if (accountId !== null) return "connected";
  return expiresAt > now ? "pending" : "expired";
}

export const tooManyLinks = (): AppError =>
  new AppError(
    "PLAN_LIMIT",
    `The team has ${MAX_PENDING_LINKS} pending links, which is the most. Delete some, then make a new one.`,
  );

export function deletionRefusal(status: LinkStatus): AppError {
  const why = {
    connected:
      "An account was connected by this link, so it can no longer be used. To remove the account, disconnect it.",
    expired: "This link has expired and can no longer be used.",
    pending: "Somebody is connecting an account by this link right now. Look again in two minutes.",
  }[status];
  return new AppError("NOT_CANCELLABLE", why);
}
