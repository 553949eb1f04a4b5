import type { Failure } from "../core/failures.ts";

/**
 * The platform said no, so nothing was created. `transient`: the same step may be repeated after a
 * back-off.
 */
export interface Refused {
  kind: "failed";
  failure: Failure;
  transient: boolean;
  /** The preparation is lost at the platform: the repeat begins from the start. */
  restart?: boolean;
}

/** The access token was refused; the runner refreshes it once and repeats the step. */
export interface TokenExpired {
  kind: "token_expired";
}

export type Stopped = Refused | TokenExpired;
