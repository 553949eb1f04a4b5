import { MINUTE, SECOND } from "../../core/time.ts";
import {
  all,
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

/** Source: Meta, "Handle Errors". */
const COMMON_CODES: [number, Rule][] = [
  ...all([-2, -1, 1, 2], UNAVAILABLE),
  [10, DISCONNECTED],
  [368, FLAGGED],
];

/** The app was removed, the password changed, or the account needs a confirmation. */
const COMMON_SUBCODES = all([458, 459, 460, 464], DISCONNECTED);

/** Source: Meta, "Rate limits". */
const RATE_LIMITS = [4, 17, 32, 613];
const TOKEN_CODES = new Set([102, 190]);

/** Source: Meta, "Handle Errors". */
export const UNKNOWN_APP_CODES = new Set([101]);

/** Blames the app, whatever the code. */
const ABOUT_APP =
  /client[ _]secret|appsecret_proof|validating application|invalid application|application (?:has been|is) (?:deleted|disabled|deactivated)|API access (?:blocked|deactivated|disabled)/i;

export const isAboutApp = ({ status, code, wording }: GraphRefusal): boolean =>
  status >= 400 &&
  status < 500 &&
  ((code !== null && UNKNOWN_APP_CODES.has(code)) || ABOUT_APP.test(wording));

interface GraphTable {
  bySubcode: readonly (readonly [number, Rule])[];
  byCode: readonly (readonly [number, Rule])[];
  rateLimits: readonly number[];
  /** These prove that the post was not published. */
  notPublished: readonly number[];
}

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
    const rule =
      (subcode === null ? undefined : bySubcode.get(subcode)) ??
      (code === null ? undefined : byCode.get(code));
    if (rule) return rule;
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
    /** Only a person can restore the login or its permission. */
    isLoginLost: (refusal: GraphRefusal): boolean =>
      !isAboutApp(refusal) &&
      (isTokenRefusal(refusal) || ruleOfNumbers(refusal)?.code === "account_disconnected"),
    ruleOfSubcode: (subcode: number): Rule | null => bySubcode.get(subcode) ?? null,
  };
}

export type GraphJudge = ReturnType<typeof graphJudge>;

const waitSeconds = ({ regainMinutes }: GraphRefusal): number | null =>
  regainMinutes === null ? null : toWait((regainMinutes * MINUTE) / SECOND);
