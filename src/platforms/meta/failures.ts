import { MINUTE, SECOND } from "../../core/time.ts";
import {
  BUSY,
  DISCONNECTED,
  FLAGGED,
  isOutage,
  type Rule,
  refusalJudge,
  UNAVAILABLE,
} from "../kit/refusals.ts";
import { toWait } from "../kit/replies.ts";
import type { GraphRefusal } from "./graph.ts";

/** Codes that mean the same at all of Meta's platforms. Source: Meta, "Handle Errors". */
const COMMON_CODES: [number, Rule][] = [
  [-2, UNAVAILABLE],
  [-1, UNAVAILABLE],
  [1, UNAVAILABLE],
  [2, UNAVAILABLE],
  [10, DISCONNECTED],
  [368, FLAGGED],
];

/** The app was removed, a checkpoint, a changed password, an unconfirmed account. */
const COMMON_SUBCODES: [number, Rule][] = [
  [458, DISCONNECTED],
  [459, DISCONNECTED],
  [460, DISCONNECTED],
  [464, DISCONNECTED],
];

/** Too many calls. Source: Meta, "Rate limits". */
const RATE_LIMITS = [4, 17, 32, 613];
/** The token is not accepted; a fresh one may be. */
const TOKEN_CODES = new Set([102, 190]);

/** The app's id is unknown. Source: Meta, "Handle Errors". */
export const UNKNOWN_APP_CODES = new Set([101]);

/** Words about the app or its secret, whatever the number: no login can mend that. */
const ABOUT_APP =
  /client[ _]secret|appsecret_proof|validating application|invalid application|application (?:has been|is) (?:deleted|disabled|deactivated)|API access (?:blocked|deactivated|disabled)/i;

/** Returns true where the owner's app is refused, not the login. */
export const isAboutApp = ({ status, code, wording }: GraphRefusal): boolean =>
  status >= 400 &&
  status < 500 &&
  ((code !== null && UNKNOWN_APP_CODES.has(code)) || ABOUT_APP.test(wording));

/** The numbers of one platform, beyond those of all of Meta's. */
interface GraphTable {
  bySubcode: readonly (readonly [number, Rule])[];
  /** Rules by code, where no subcode says more. */
  byCode: readonly (readonly [number, Rule])[];
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

  const isTokenRefusal = ({ status, code, subcode }: GraphRefusal): boolean => {
    if (isKnown(subcode)) return false;
    return code === null ? status === 401 : TOKEN_CODES.has(code);
  };

  const isRateLimit = ({ status, code, subcode }: GraphRefusal): boolean =>
    !isKnown(subcode) && (status === 429 || (code !== null && rateLimits.has(code)));

  const ruleOfNumbers = ({
    status,
    code,
    subcode,
    isTransient,
  }: GraphRefusal): Rule | undefined => {
    const known =
      (subcode === null ? undefined : bySubcode.get(subcode)) ??
      (code === null ? undefined : byCode.get(code));
    if (known) return known;
    if (code !== null && code >= 200 && code <= 299) return DISCONNECTED;
    const isNobody = code === null && status === 404;
    return isTransient || isNobody ? UNAVAILABLE : undefined;
  };

  const isUndecided = (refusal: GraphRefusal): boolean => {
    const { code, subcode, isTransient } = refusal;
    if (subcode !== null && notPublished.has(subcode)) return false;
    if (code !== null && notPublished.has(code)) return false;
    if (isRateLimit(refusal) || isTokenRefusal(refusal)) return false;
    const isShaken = code === -2 || code === -1 || code === 1 || code === 2;
    return isOutage(refusal) || isTransient || isShaken || ruleOfNumbers(refusal) === UNAVAILABLE;
  };

  return {
    ...refusalJudge<GraphRefusal>({
      isTokenRefusal,
      ruleOf: (refusal) => (isRateLimit(refusal) ? BUSY : ruleOfNumbers(refusal)),
      waitSeconds: (rule, refusal) => (rule === BUSY ? waitSeconds(refusal) : null),
      isUndecided,
    }),
    /** Returns true when the login is gone, or lacks a permission, and only a person can bring it back. */
    isLoginLost: (refusal: GraphRefusal): boolean =>
      !isAboutApp(refusal) &&
      (isTokenRefusal(refusal) || ruleOfNumbers(refusal)?.code === "account_disconnected"),
    /** The rule of the platform's own subcode; null for one that is not in its table. */
    ruleOfSubcode: (subcode: number): Rule | null => bySubcode.get(subcode) ?? null,
  };
}

export type GraphJudge = ReturnType<typeof graphJudge>;

/** Seconds until calls are taken again, rounded up to at most a day; null when Meta did not say. */
const waitSeconds = ({ regainMinutes }: GraphRefusal): number | null =>
  regainMinutes === null ? null : toWait((regainMinutes * MINUTE) / SECOND);
