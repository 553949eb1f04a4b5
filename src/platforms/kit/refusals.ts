import * as clock from "../../core/clock.ts";
import { BACKOFF_SECONDS, type FailureCode } from "../../core/failures.ts";
import { asSentence } from "../../core/text.ts";
import type { Refused, Stopped, TokenExpired } from "../connector.ts";
import { TOKEN_EXPIRED, type Unknowable, unknowable } from "./steps.ts";

export interface Refusal {
  status: number;
  message: string;
}

/** `transient`: the same call may succeed later. `restart`: the preparation starts over. */
export interface Rule {
  code: FailureCode;
  transient?: boolean;
  restart?: boolean;
  advice?: string;
}

export const UNAVAILABLE: Rule = { code: "platform_unavailable", transient: true };
export const GONE: Rule = { code: "platform_unavailable", transient: true, restart: true };
export const UNREACHABLE: Rule = { code: "media_unreachable" };
export const INVALID: Rule = { code: "media_invalid" };
export const FLAGGED: Rule = { code: "content_flagged" };
export const DISCONNECTED: Rule = { code: "account_disconnected" };
export const UNKNOWN: Rule = { code: "unknown" };
/** A limit that lasts too long for a back-off. */
export const LIMITED: Rule = { code: "rate_limited" };
export const NOT_YET: Rule = { code: "unknown", transient: true };
/** Too many calls: a back-off helps. */
export const BUSY: Rule = { code: "rate_limited", transient: true };

export const all = <K>(keys: readonly K[], rule: Rule): [K, Rule][] =>
  keys.map((key) => [key, rule]);

/** Before a longer wait, the caller learns when to try again. */
const MAX_TRANSIENT_WAIT = Math.max(...BACKOFF_SECONDS);

/** @param waitSeconds null when unknown */
export function refusedBy(rule: Rule, message: string, waitSeconds: number | null = null): Refused {
  const { code, transient = false, restart, advice } = rule;
  return {
    kind: "failed",
    failure: {
      code,
      message: advice ? `${asSentence(message)} ${advice}` : message,
      ...(waitSeconds === null ? {} : { retryAfterSeconds: waitSeconds }),
    },
    transient: transient && (waitSeconds ?? 0) <= MAX_TRANSIENT_WAIT,
    ...(restart ? { restart } : {}),
  };
}

export const failed = (code: FailureCode, message: string): Refused => refusedBy({ code }, message);
export const mediaInvalid = (message: string): Refused => refusedBy(INVALID, message);
export const unavailable = (message: string): Refused => refusedBy(UNAVAILABLE, message);
export const notDeleted = (name: string): Refused =>
  unavailable(`${name} answered that it did not delete the post. Ask again.`);
export const sendAgain = (message: string): Refused => refusedBy(GONE, message);

/** Another server than the API answered, or the API is down or overloaded. */
export const isOutage = ({ status }: Pick<Refusal, "status">): boolean =>
  status < 400 || status === 408 || status >= 500;

export const isGone = ({ status }: Pick<Refusal, "status">): boolean =>
  status === 404 || status === 410;

interface RefusalFacts<R extends Refusal> {
  isTokenRefusal(refusal: R): boolean;
  /** When undefined, the HTTP status decides. */
  ruleOf(refusal: R): Rule | undefined;
  waitSeconds?(rule: Rule, refusal: R, now: Date): number | null;
  /** The refused call may still have taken effect. Default: every outage. */
  isUndecided?(refusal: R): boolean;
  /** The rate limit ends, but later than the longest back-off. */
  isLongLimit?(refusal: R): boolean;
}

export function refusalJudge<R extends Refusal>(facts: RefusalFacts<R>) {
  const { isTokenRefusal, isUndecided = isOutage, isLongLimit = () => false } = facts;
  const ruleOf = (refusal: R): Rule =>
    facts.ruleOf(refusal) ?? (isOutage(refusal) ? UNAVAILABLE : UNKNOWN);
  const isTemporary = (refusal: R): boolean =>
    ruleOf(refusal).transient === true || isLongLimit(refusal);
  return {
    isTokenRefusal,
    isUndecided,
    isTemporary,
    toRefused: (refusal: R, now = clock.now()): Stopped => {
      if (isTokenRefusal(refusal)) return TOKEN_EXPIRED;
      const rule = ruleOf(refusal);
      return refusedBy(rule, refusal.message, facts.waitSeconds?.(rule, refusal, now));
    },
    toUnknowable: (refusal: R): TokenExpired | Unknowable => {
      if (isTokenRefusal(refusal)) return TOKEN_EXPIRED;
      if (isTemporary(refusal)) throw new Error(refusal.message);
      return unknowable(refusal.message);
    },
  };
}
