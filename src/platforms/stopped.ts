import type { Failure } from "../core/failures.ts";

/** The attempt failed. `transient`: repeat it after a back-off. */
export interface Refused {
  kind: "failed";
  failure: Failure;
  transient: boolean;
  /** The next attempt prepares the post again. */
  restart?: boolean;
}

/** The runner refreshes the token once and repeats the step. */
export interface TokenExpired {
  kind: "token_expired";
}

export type Stopped = Refused | TokenExpired;
