import type { FailureCode } from "../../core/failures.ts";
import { MINUTE, SECOND } from "../../core/time.ts";
import type { Refused, TokenExpired } from "../connector.ts";
import type { GraphRefusal } from "./api.ts";

/** The longest wait that is worth a back-off; beyond it the caller is told when to come back. */
const MAX_TRANSIENT_WAIT_SECONDS = 600;
/** The longest window of Meta's limits, so no wait can be longer. */
const MAX_WAIT_SECONDS = 86_400;

/** `transient`: may be repeated as it is. `restart`: what was prepared is gone. */
interface Rule {
  code: FailureCode;
  transient?: true;
  restart?: true;
}

const UNAVAILABLE: Rule = { code: "platform_unavailable", transient: true };
const GONE: Rule = { code: "platform_unavailable", transient: true, restart: true };
const UNREACHABLE: Rule = { code: "media_unreachable" };
const INVALID: Rule = { code: "media_invalid" };
const FLAGGED: Rule = { code: "content_flagged" };
const DISCONNECTED: Rule = { code: "account_disconnected" };
const UNKNOWN: Rule = { code: "unknown" };

/**
 * What an error_subcode means.
 *
 * @see https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/error-codes
 */
const BY_SUBCODE = new Map<number, Rule>([
  [2207001, UNAVAILABLE],
  [2207003, UNREACHABLE],
  [2207004, INVALID],
  [2207005, INVALID],
  [2207006, UNKNOWN],
  // The container is not to be found for a moment.
  [2207008, UNAVAILABLE],
  [2207009, INVALID],
  [2207010, FLAGGED],
  [2207020, GONE],
  [2207023, UNKNOWN],
  [2207026, INVALID],
  // Not ready to be published.
  [2207027, UNAVAILABLE],
  [2207028, INVALID],
  [2207032, UNAVAILABLE],
  [2207035, UNKNOWN],
  [2207036, UNKNOWN],
  [2207037, UNKNOWN],
  [2207040, UNKNOWN],
  // Posts in 24 hours: the next one may be a day away.
  [2207042, { code: "rate_limited" }],
  [2207050, DISCONNECTED],
  [2207051, FLAGGED],
  [2207052, UNREACHABLE],
  [2207053, UNAVAILABLE],
  [2207057, INVALID],
  [2207076, UNREACHABLE],
  [2207077, UNREACHABLE],
  [2207081, UNKNOWN],
  [2207082, UNAVAILABLE],
  [2207085, UNKNOWN],
  // The app was removed, a checkpoint, a changed password, an unconfirmed account.
  [458, DISCONNECTED],
  [459, DISCONNECTED],
  [460, DISCONNECTED],
  [464, DISCONNECTED],
]);

/** What a code means where no subcode says more. */
const BY_CODE = new Map<number, Rule>([
  [-2, UNAVAILABLE],
  [-1, UNAVAILABLE],
  [1, UNAVAILABLE],
  [2, UNAVAILABLE],
  [9, { code: "rate_limited" }],
  [10, DISCONNECTED],
  [25, DISCONNECTED],
  [352, INVALID],
  [368, FLAGGED],
  [9004, UNREACHABLE],
  [9007, UNAVAILABLE],
  [36000, INVALID],
  [36001, INVALID],
  [36003, INVALID],
  [36004, FLAGGED],
]);

/** Too many calls. Source: Meta, "Rate limits". */
const RATE_LIMITS = new Set([4, 17, 32, 613, 80002]);
/** The token is not accepted; a fresh one may be. */
const TOKEN_CODES = new Set([102, 190]);

/** Whether a fresh token could help. */
export function isTokenRefusal({ status, code, subcode }: GraphRefusal): boolean {
  if (subcode !== null && BY_SUBCODE.has(subcode)) return false;
  return code === null ? status === 401 : TOKEN_CODES.has(code);
}

/** Whether the login is gone, or lacks a permission, and only a person can bring it back. */
export const isLoginLost = (refusal: GraphRefusal): boolean =>
  isTokenRefusal(refusal) || ruleOf(refusal).code === "account_disconnected";

const isRateLimit = ({ status, code, subcode }: GraphRefusal): boolean =>
  (subcode === null || !BY_SUBCODE.has(subcode)) &&
  (status === 429 || (code !== null && RATE_LIMITS.has(code)));

/** Whether a call that was refused like this may be answered otherwise in a while. */
export const isPassing = (refusal: GraphRefusal): boolean =>
  isRateLimit(refusal) || ruleOf(refusal).transient === true;

/** Said of a container that cannot be published yet, or not for the moment: nothing went out. */
const NOT_PUBLISHED = new Set([2207008, 2207020, 2207027]);

/** Whether publishing may have had its effect all the same. */
export function isUndecided(refusal: GraphRefusal): boolean {
  const { status, code, subcode, isTransient } = refusal;
  if (subcode !== null && NOT_PUBLISHED.has(subcode)) return false;
  if (code === 9007 || isRateLimit(refusal) || isTokenRefusal(refusal)) return false;
  const isBroken = status < 400 || status === 408 || status >= 500;
  return isBroken || isTransient || code === -2 || code === -1 || code === 1 || code === 2;
}

function ruleOf({ status, code, subcode, isTransient }: GraphRefusal): Rule {
  const known =
    (subcode === null ? undefined : BY_SUBCODE.get(subcode)) ??
    (code === null ? undefined : BY_CODE.get(code));
  if (known) return known;
  if (code !== null && code >= 200 && code <= 299) return DISCONNECTED;
  const isBroken = status < 400 || status === 408 || status >= 500;
  const isNobody = code === null && status === 404;
  return isTransient || isBroken || isNobody ? UNAVAILABLE : UNKNOWN;
}

/** Seconds until calls are taken again, rounded up to at most a day; null when Meta did not say. */
const waitSeconds = ({ regainMinutes }: GraphRefusal): number | null =>
  regainMinutes === null
    ? null
    : Math.min(Math.ceil((regainMinutes * MINUTE) / SECOND), MAX_WAIT_SECONDS);

/** A definite refusal in our terms. */
export function toRefused(refusal: GraphRefusal): Refused | TokenExpired {
  if (isTokenRefusal(refusal)) return { kind: "token_expired" };
  const { message } = refusal;
  if (isRateLimit(refusal)) {
    const wait = waitSeconds(refusal);
    const told = wait === null ? {} : { retryAfterSeconds: wait };
    return {
      kind: "failed",
      failure: { code: "rate_limited", message, ...told },
      transient: wait === null || wait <= MAX_TRANSIENT_WAIT_SECONDS,
    };
  }
  const { code, transient = false, restart } = ruleOf(refusal);
  return {
    kind: "failed",
    failure: { code, message },
    transient,
    ...(restart ? { restart } : {}),
  };
}

/** A container whose status says nothing but a sentence about the file. */
const ABOUT_THE_FILE =
  /format|duration|aspect|codec|resolution|frame rate|file size|too (?:large|big|long|short)/i;
const SUBCODE = /\b2207\d{3}\b/;

/** Why a container ended as ERROR. A repeat has to begin with a new container. */
export function toContainerRefused(status: string | null | undefined): Refused {
  const said = status?.trim() ?? "";
  const message = (said || "Instagram could not process the media.").slice(0, 500).toWellFormed();
  const subcode = Number(SUBCODE.exec(said)?.[0]);
  const rule = BY_SUBCODE.get(subcode) ?? (ABOUT_THE_FILE.test(said) ? INVALID : UNKNOWN);
  const transient = rule.transient ?? false;
  return {
    kind: "failed",
    failure: { code: rule.code, message },
    transient,
    ...(transient ? { restart: true } : {}),
  };
}

/** A container that was not published within 24 hours. */
export const expiredContainer = (): Refused => ({
  kind: "failed",
  failure: {
    code: "platform_unavailable",
    message: "Instagram dropped the prepared media before they were published.",
  },
  transient: true,
  restart: true,
});
