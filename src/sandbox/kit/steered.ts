import type { FailureCode } from "../../core/failures.ts";
import type { Refusal } from "./refusal.ts";
import { forcedFailure, type Sandbox } from "./simulator.ts";
import type { Reply, Verdict } from "./steering.ts";

export interface SteeredRefusals {
  expiredToken(): Refusal;
  serverError(nth: number): Refusal;
  /** A code without an entry ends the publish attempt. */
  failures: Partial<Record<FailureCode, (message: string) => Refusal>>;
}

export function requireAccepted(verdict: Verdict, refusals: SteeredRefusals): Reply {
  switch (verdict.kind) {
    case "accepted":
      return verdict.reply;
    case "token_refused":
      throw refusals.expiredToken();
    case "server_error":
      throw refusals.serverError(verdict.nth);
    case "failure": {
      const { code } = verdict;
      const refuse = refusals.failures[code];
      if (refuse) throw refuse(`Refused because the text says [sandbox:${code}].`);
      throw forcedFailure({ code, message: `The sandbox was asked for this failure: ${code}.` });
    }
    default:
      return verdict satisfies never;
  }
}

/** @throws Refusal when the text requests a failure */
export const steer = (
  { store, origin }: Sandbox,
  refusals: SteeredRefusals,
  { key, text, token }: { key: string; text: string; token: string },
): Reply => requireAccepted(store.steer(origin, key, text, token), refusals);
