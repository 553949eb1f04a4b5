import { BACKOFF_SECONDS, type Failure } from "../../core/failures.ts";
import { DAY } from "../../core/time.ts";
import { isSwitchedOff, SWITCHED_OFF } from "../accounts/rules.ts";
import type { AccountRow } from "../accounts/table.ts";
import { NO_ACCOUNT_FOR_PARTS } from "../posts/parts.ts";
import type { UploadRow } from "../posts/table.ts";

/** A worker owns a job this long between two steps: longer than any platform call. */
export const LEASE_SECONDS = 90;

/** Source: spec, "Time limits": queue wait. */
export const QUEUE_WAIT_MS = DAY;

/** When this many runs of a job broke off in a row, the job is the cause. */
export const MAX_CRASHES = 10;

/** Said of whatever may have been published between the backup and its restore. */
export const RESTORED = "Restored: check whether it went out.";

/** Time without progress after which a post fails. */
export const PROGRESS_DEADLINE_SECONDS = 30 * 60;

/** Restarts of an attempt that lost its preparations. */
export const MAX_RESTARTS = 3;

/** Seconds to wait after `taken` back-offs; null when there are no more. */
export const nextBackoff = (taken: number): number | null => BACKOFF_SECONDS[taken] ?? null;

const LOGIN_BACKOFF_SECONDS = 60;

export const LOGIN_PATIENCE_SECONDS = BACKOFF_SECONDS.reduce((sum, wait) => sum + wait, 0);

/**
 * Seconds to wait for a login that could not be renewed; null after the maximum wait.
 *
 * @param taken back-offs so far
 * @param waitedSeconds time since the attempt last made progress
 */
export function loginBackoff(taken: number, waitedSeconds: number): number | null {
  if (waitedSeconds >= LOGIN_PATIENCE_SECONDS) return null;
  return Math.min(nextBackoff(taken) ?? LOGIN_BACKOFF_SECONDS, LOGIN_BACKOFF_SECONDS);
}

/** Seconds to wait before the next call that creates the post, after `made` calls; null when no more are allowed. */
export const resubmitWait = (made: number): number | null =>
  made === 0 ? 0 : nextBackoff(made - 1);

/** X counts its calls in windows of 15 minutes. */
const PART_WAIT_SECONDS = 900;

export const isPartWait = (
  { part }: Pick<UploadRow, "part">,
  { code, retryAfterSeconds }: Failure,
): boolean =>
  part > 0 && code === "rate_limited" && (retryAfterSeconds ?? Infinity) <= PART_WAIT_SECONDS;

/**
 * Checks, when a post is published, that its account is usable and its content approved.
 *
 * `held`: the post needs approval again. `failed`: it cannot be published.
 *
 * @param contentHash null when no approval is bound to the content
 */
export function publishGate(
  upload: Pick<UploadRow, "approvedHash" | "part">,
  account: Pick<AccountRow, "status" | "mode" | "accountName"> | null,
  contentHash: string | null,
  config: { sandboxEnabled: boolean },
): { kind: "open" } | { kind: "held" } | { kind: "failed"; refusal: Failure } {
  if (account?.status !== "active") {
    const message =
      account?.status === "expired"
        ? "The account's login has expired. Reconnect the account and retry."
        : upload.part > 0
          ? NO_ACCOUNT_FOR_PARTS
          : "The account is no longer connected. Connect it again, then create a new post.";
    return { kind: "failed", refusal: { code: "account_disconnected", message } };
  }
  if (isSwitchedOff(account, config)) {
    const message = `${account.accountName} ${SWITCHED_OFF}`;
    return { kind: "failed", refusal: { code: "account_disconnected", message } };
  }
  if (upload.approvedHash !== contentHash) return { kind: "held" };
  return { kind: "open" };
}
