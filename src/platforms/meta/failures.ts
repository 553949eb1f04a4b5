import type { FailureCode } from "../../core/failures.ts";
import { MINUTE, SECOND } from "../../core/time.ts";
import type { Refused, TokenExpired } from "../connector.ts";
import type { GraphRefusal } from "./graph.ts";

/** The longest wait that is worth a back-off; beyond it the caller is told when to come back. */
const MAX_TRANSIENT_WAIT_SECONDS = 600;
/** The longest window of Meta's limits, so no wait can be longer. */
const MAX_WAIT_SECONDS = 86_400;

/** `transient`: may be repeated as it is. `restart`: what was prepared is gone. */
export interface GraphRule {
  code: FailureCode;
  transient?: true;
  restart?: true;
}

export const UNAVAILABLE: GraphRule = { code: "platform_unavailable", transient: true };
/** What was prepared is gone, so the repeat begins from the start. */
export const GONE: GraphRule = { code: "platform_unavailable", transient: true, restart: true };
export const UNREACHABLE: GraphRule = { code: "media_unreachable" };
export const INVALID: GraphRule = { code: "media_invalid" };
export const FLAGGED: GraphRule = { code: "content_flagged" };
export const DISCONNECTED: GraphRule = { code: "account_disconnected" };
export const UNKNOWN: GraphRule = { code: "unknown" };
export const LIMITED: GraphRule = { code: "rate_limited" };

/** Codes that mean the same at all of Meta's platforms. Source: Meta, "Handle Errors". */
const COMMON_CODES: [number, GraphRule][] = [
  [-2, UNAVAILABLE],
  [-1, UNAVAILABLE],
  [1, UNAVAILABLE],
  [2, UNAVAILABLE],
  [10, DISCONNECTED],
  [368, FLAGGED],
];

/** The app was removed, a checkpoint, a changed password, an unconfirmed account. */
const COMMON_SUBCODES: [number, GraphRule][] = [
  [458, DISCONNECTED],
  [459, DISCONNECTED],
  [460, DISCONNECTED],
  [464, DISCONNECTED],
];

/** Too many calls. Source: Meta, "Rate limits". */
const RATE_LIMITS = [4, 17, 32, 613];
/** The token is not accepted; a fresh one may be. */
const TOKEN_CODES = new Set([102, 190]);

/** What one platform says, beyond what all of Meta's say. */
export interface GraphTable {
  bySubcode: readonly (readonly [number, GraphRule])[];
  /** What a code means where no subcode says more. */
  byCode: readonly (readonly [number, GraphRule])[];
  /** Codes for too many calls. */
  rateLimits: readonly number[];
  /** Subcodes and codes said of a post that did not go out, whatever else they sound like. */
  notPublished: readonly number[];
}

/** Reads the refusals of one of Meta's platforms. */
export function graphJudge(table: GraphTable) {
  const bySubcode = new Map([...COMMON_SUBCODES, ...table.bySubcode]);
  const byCode = new Map([...COMMON_CODES, ...table.byCode]);
  const rateLimits = new Set([...RATE_LIMITS, ...table.rateLimits]);
  const notPublished = new Set(table.notPublished);

  const isKnown = (subcode: number | null) => subcode !== null && bySubcode.has(subcode);

  /** Whether a fresh token could help. */
  const isTokenRefusal = ({ status, code, subcode }: GraphRefusal): boolean => {
    if (isKnown(subcode)) return false;
    return code === null ? status === 401 : TOKEN_CODES.has(code);
  };

  const isRateLimit = ({ status, code, subcode }: GraphRefusal): boolean =>
    !isKnown(subcode) && (status === 429 || (code !== null && rateLimits.has(code)));

  const ruleOf = ({ status, code, subcode, isTransient }: GraphRefusal): GraphRule => {
    const known =
      (subcode === null ? undefined : bySubcode.get(subcode)) ??
      (code === null ? undefined : byCode.get(code));
    if (known) return known;
    if (code !== null && code >= 200 && code <= 299) return DISCONNECTED;
    const isNobody = code === null && status === 404;
    return isTransient || isBroken(status) || isNobody ? UNAVAILABLE : UNKNOWN;
  };

  /** A definite refusal in our terms. */
  const toRefused = (refusal: GraphRefusal): Refused | TokenExpired => {
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
    const failure = { code, message };
    return { kind: "failed", failure, transient, ...(restart ? { restart } : {}) };
  };

  return {
    isTokenRefusal,
    toRefused,
    /** Whether the login is gone, or lacks a permission, and only a person can bring it back. */
    isLoginLost: (refusal: GraphRefusal): boolean =>
      isTokenRefusal(refusal) || ruleOf(refusal).code === "account_disconnected",
    /** Whether a call that was refused like this may be answered otherwise in a while. */
    isPassing: (refusal: GraphRefusal): boolean =>
      isRateLimit(refusal) || ruleOf(refusal).transient === true,
    /** Whether publishing may have had its effect all the same. */
    isUndecided: (refusal: GraphRefusal): boolean => {
      const { status, code, subcode, isTransient } = refusal;
      if (subcode !== null && notPublished.has(subcode)) return false;
      if (code !== null && notPublished.has(code)) return false;
      if (isRateLimit(refusal) || isTokenRefusal(refusal)) return false;
      const isShaken = code === -2 || code === -1 || code === 1 || code === 2;
      return isBroken(status) || isTransient || isShaken || ruleOf(refusal) === UNAVAILABLE;
    },
    /** What the platform's own subcode means; null for one that is not in its table. */
    ruleOfSubcode: (subcode: number): GraphRule | null => bySubcode.get(subcode) ?? null,
  };
}

export type GraphJudge = ReturnType<typeof graphJudge>;

/** An answer that says nothing of what was asked for. */
const isBroken = (status: number): boolean => status < 400 || status === 408 || status >= 500;

/** Seconds until calls are taken again, rounded up to at most a day; null when Meta did not say. */
const waitSeconds = ({ regainMinutes }: GraphRefusal): number | null =>
  regainMinutes === null
    ? null
    : Math.min(Math.ceil((regainMinutes * MINUTE) / SECOND), MAX_WAIT_SECONDS);
