import * as clock from "../../core/clock.ts";
import type { FailureCode } from "../../core/failures.ts";
import type { Refused, Stopped, TokenExpired } from "../connector.ts";
import { TOKEN_EXPIRED, type Unknowable, unknowable } from "./steps.ts";

/** The part that all platforms' refusals share; a 2xx that cannot be read is one too. */
export interface Refusal {
  status: number;
  /** The platform's own wording, else a sentence with the status. At most 500 characters. */
  message: string;
}

/** `transient`: may be repeated as it is. `restart`: the preparation is lost. */
export interface Rule {
  code: FailureCode;
  transient?: boolean;
  restart?: boolean;
  /** Added to the platform's wording. */
  advice?: string;
}

export const UNAVAILABLE: Rule = { code: "platform_unavailable", transient: true };
/** The preparation is lost, so the repeat begins from the start. */
export const GONE: Rule = { code: "platform_unavailable", transient: true, restart: true };
export const UNREACHABLE: Rule = { code: "media_unreachable" };
export const INVALID: Rule = { code: "media_invalid" };
export const FLAGGED: Rule = { code: "content_flagged" };
export const DISCONNECTED: Rule = { code: "account_disconnected" };
export const UNKNOWN: Rule = { code: "unknown" };
/** A limit that lasts long. */
export const LIMITED: Rule = { code: "rate_limited" };
/** Too many calls: a back-off helps. */
export const BUSY: Rule = { code: "rate_limited", transient: true };

/** The longest wait, in seconds, that is worth a back-off; beyond it the caller learns when to come back. */
const MAX_TRANSIENT_WAIT = 600;

/**
 * A refusal by its rule.
 *
 * @param waitSeconds until calls are taken again; null when the reply does not say
 */
export function refusedBy(rule: Rule, message: string, waitSeconds: number | null = null): Refused {
  const { code, transient = false, restart, advice } = rule;
  return {
    kind: "failed",
    failure: {
      code,
      message: advice ? `${message} ${advice}` : message,
      ...(waitSeconds === null ? {} : { retryAfterSeconds: waitSeconds }),
    },
    transient: transient && (waitSeconds ?? 0) <= MAX_TRANSIENT_WAIT,
    ...(restart ? { restart } : {}),
  };
}

export const failed = (code: FailureCode, message: string): Refused => refusedBy({ code }, message);
export const mediaInvalid = (message: string): Refused => refusedBy(INVALID, message);
export const unavailable = (message: string): Refused => refusedBy(UNAVAILABLE, message);
export const sendAgain = (message: string): Refused => refusedBy(GONE, message);

/** Returns true when the answer does not come from the API: it is down, overloaded, or replaced by another server. */
export const isOutage = ({ status }: Pick<Refusal, "status">): boolean =>
  status < 400 || status === 408 || status >= 500;

/** Returns true when an upload or session that was begun does not exist any more. */
export const isGone = ({ status }: Pick<Refusal, "status">): boolean =>
  status === 404 || status === 410;

/** The facts by which one platform's refusals are read. */
interface RefusalFacts<R extends Refusal> {
  /** Returns true when a fresh token could help. */
  isTokenRefusal(refusal: R): boolean;
  /** The rule of the platform's table; where it has none, the status decides. */
  ruleOf(refusal: R): Rule | undefined;
  /** Seconds until calls are taken again, for a refusal of that rule; null when the reply does not say. */
  waitSeconds?(rule: Rule, refusal: R, now: Date): number | null;
  /** Returns true when the call may have had its effect all the same; by default, for every outage. */
  isUndecided?(refusal: R): boolean;
  /** Refusals that pass although they are not worth a back-off. */
  isLongLimit?(refusal: R): boolean;
}

/** Reads the refusals of one platform by its facts. */
export function refusalJudge<R extends Refusal>(facts: RefusalFacts<R>) {
  const { isTokenRefusal, isUndecided = isOutage, isLongLimit = () => false } = facts;
  const ruleOf = (refusal: R): Rule =>
    facts.ruleOf(refusal) ?? (isOutage(refusal) ? UNAVAILABLE : UNKNOWN);
  const isPassing = (refusal: R): boolean =>
    ruleOf(refusal).transient === true || isLongLimit(refusal);
  return {
    isTokenRefusal,
    /** Returns true when the call may have had its effect all the same. */
    isUndecided,
    /** Returns true when the same call may be answered otherwise in a while. */
    isPassing,
    /** Turns a definite refusal into ours. */
    toRefused: (refusal: R, now = clock.now()): Stopped => {
      if (isTokenRefusal(refusal)) return TOKEN_EXPIRED;
      const rule = ruleOf(refusal);
      return refusedBy(rule, refusal.message, facts.waitSeconds?.(rule, refusal, now));
    },
    /**
     * Turns the refusal of a question about a post into what is known of it.
     *
     * @throws when it may be answered a little later
     */
    toUnknowable: (refusal: R): TokenExpired | Unknowable => {
      if (isTokenRefusal(refusal)) return TOKEN_EXPIRED;
      if (isPassing(refusal)) throw new Error(refusal.message);
      return unknowable(refusal.message);
    },
  };
}
