import type { FailureCode } from "../../core/failures.ts";
import type { Refusal } from "./refusal.ts";
import { forcedFailure, type Sandbox } from "./simulator.ts";
import type { Reply, Verdict } from "./steering.ts";

/** A platform's refusals, by what the text of a post asks for. */
export interface SteeredRefusals {
  expiredToken(): Refusal;
  /** @param nth counts from 1 */
  serverError(nth: number): Refusal;
  /** Codes without an entry end the attempt as they are: the platform has no words for them. */
  failures: Partial<Record<FailureCode, (message: string) => Refusal>>;
}

/** @throws Refusal unless the call is accepted */
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
  }
}

/**
 * Steers a write call by the words in its text.
 *
 * @param write `key` stands for the post where the call belongs to no upload; `token`: the access token
 * @throws Refusal where the text asks for one
 */
export const steer = (
  { store, origin }: Sandbox,
  refusals: SteeredRefusals,
  { key, text, token }: { key: string; text: string; token: string },
): Reply => requireAccepted(store.steer(origin, key, text, token), refusals);
