import { PublishFailure } from "../../core/failures.ts";
import type { Deps } from "../../deps.ts";
import type { Connector, Stopped } from "../../platforms/connector.ts";
import type { AccountRow } from "../accounts/table.ts";
import type { CallRecord } from "./record.ts";
import type { Changes } from "./repo.ts";
import type { Outcome } from "./rules.ts";
import type { RehearsalRow } from "./table.ts";

export const LOOK_AGAIN_SECONDS = 5;

/** The result of a step; `note` is a sentence for the owner. */
export interface Turn {
  changes: Changes;
  note: string | null;
  afterSeconds: number;
  /** The account has to be connected again before the next step. */
  isStopped?: true;
}

export type Expired = "token_expired";

export const turn = (changes: Changes, note: string | null = null, afterSeconds = 0): Turn => ({
  changes,
  note,
  afterSeconds,
});

export const end = (outcome: Outcome, message: string | null): Turn =>
  turn({ stage: "over", outcome, message }, message);

export interface Stand {
  deps: Deps;
  connector: Connector;
  row: RehearsalRow;
  account: AccountRow;
  origin: string;
  record: CallRecord;
  /** Stores changes before a call that cannot be undone. */
  save(changes: Changes): Promise<RehearsalRow>;
}

export const NO_ANSWER = "did not answer.";

export interface Thrown {
  kind: "thrown";
  message: string;
  isFinal: boolean;
}

/** Returns final failures, broken connections and timeouts. Other errors are thrown. */
export async function answerOf<T>(
  { connector, record }: Stand,
  call: () => Promise<T>,
): Promise<T | Thrown> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof PublishFailure) {
      return { kind: "thrown", message: error.failure.message, isFinal: true };
    }
    if (!record.isBroken(error)) throw error;
    return { kind: "thrown", message: `${connector.name} ${NO_ANSWER}`, isFinal: false };
  }
}

export const messageOf = (stopped: Exclude<Stopped, { kind: "token_expired" }>): string =>
  stopped.failure.message;
