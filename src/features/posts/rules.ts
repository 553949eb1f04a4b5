import type { FailureCode } from "../../core/failures.ts";
import { addMonths, addSeconds, DAY } from "../../core/time.ts";
import { isSwitchedOff, SWITCHED_OFF } from "../accounts/rules.ts";
import type { AccountRow } from "../accounts/table.ts";

/** Source: spec, "Upload status". */
export const UPLOAD_STATUSES = [
  "draft",
  "pending_approval",
  "scheduled",
  "pending",
  "processing",
  "completed",
  "failed",
] as const;

export type UploadStatus = (typeof UPLOAD_STATUSES)[number];

/** Words for each status, behind "The post is". */
export const STATUS_WORDS: Record<UploadStatus, string> = {
  draft: "a draft",
  pending_approval: "waiting for approval",
  scheduled: "scheduled",
  pending: "waiting to be published",
  processing: "being published",
  completed: "published",
  failed: "failed",
};

/** The status as the status index knows it: taking a job must rewrite no index. */
export type StatusGroup = Exclude<UploadStatus, "processing">;

export const groupOf = (status: UploadStatus): StatusGroup =>
  status === "processing" ? "pending" : status;

/** Statuses from which a stored post comes to each. Source: spec, "Upload status". */
export const COMES_FROM: Record<UploadStatus, readonly UploadStatus[]> = {
  draft: ["pending_approval"],
  pending_approval: ["draft", "scheduled", "pending", "processing", "failed"],
  scheduled: ["draft", "pending_approval", "scheduled", "pending"],
  pending: ["draft", "pending_approval", "scheduled", "processing", "failed"],
  processing: ["pending", "processing"],
  completed: ["processing"],
  failed: ["scheduled", "pending", "processing"],
};

/** `submitting`: the call that cannot be undone was entered. `settling`: the platform accepted it. */
export type Stage = "preparing" | "submitting" | "settling";

/** Phases of a post that is being published, as callers see them. */
export const PHASES = ["preparing", "sending", "publishing", "processing"] as const;

/** Where a post stands while it is being published. */
interface Progress {
  phase: (typeof PHASES)[number];
  sentBytes: number;
  totalBytes: number;
}

interface ProgressSubject {
  status: UploadStatus;
  stage: Stage;
  sentBytes: number | null;
  fileSize: number;
}

/** Returns the progress of a post that is being published; null for any other. */
export function progressOf(upload: ProgressSubject): Progress | null {
  if (upload.status !== "processing") return null;
  const { stage, fileSize: totalBytes } = upload;
  if (stage === "settling") return { phase: "processing", sentBytes: totalBytes, totalBytes };
  if (stage === "submitting") return { phase: "publishing", sentBytes: totalBytes, totalBytes };
  const phase = upload.sentBytes === null ? "preparing" : "sending";
  return { phase, sentBytes: Math.min(upload.sentBytes ?? 0, totalBytes), totalBytes };
}

/** A worker owns a job for this long between two of its steps. Longer than any platform call. */
export const LEASE_SECONDS = 90;

/** A job that is due within this is woken by its own message rather than by the next tick. */
export const LOOK_AHEAD_SECONDS = 75;

/** Source: spec, "Time limits": queue wait before queue_expired. */
export const QUEUE_WAIT_MS = DAY;

/** Source: spec, "Daily posting caps": a rolling window. */
export const CAP_WINDOW_MS = DAY;

/** A job whose runs broke off this often in a row breaks them itself. */
export const MAX_CRASHES = 10;

/** Without progress for this long, a platform is not waited for any more. */
export const PROGRESS_DEADLINE_SECONDS = 30 * 60;

/** An attempt that lost what it had prepared this often is not begun again. */
export const MAX_RESTARTS = 3;

/** Waits before a transient failure is tried again, in seconds. */
const BACKOFF_SECONDS = [30, 120, 600] as const;

/** Seconds to wait after `taken` back-offs of this attempt; null when there are no more. */
export const nextBackoff = (taken: number): number | null => BACKOFF_SECONDS[taken] ?? null;

/** Longest wait before a login is renewed again for a post, in seconds: other posts may have renewed it meanwhile. */
const LOGIN_BACKOFF_SECONDS = 60;

/** Longest time that a post waits for its login, in seconds: as long as for a platform that does not answer. */
const LOGIN_PATIENCE_SECONDS = BACKOFF_SECONDS.reduce((sum, wait) => sum + wait, 0);

/**
 * Seconds to wait for a login that could not be renewed; null when the post has waited long enough.
 *
 * @param taken back-offs of this attempt
 * @param waitedSeconds time since anything of the attempt moved
 */
export function loginBackoff(taken: number, waitedSeconds: number): number | null {
  if (waitedSeconds >= LOGIN_PATIENCE_SECONDS) return null;
  return Math.min(nextBackoff(taken) ?? LOGIN_BACKOFF_SECONDS, LOGIN_BACKOFF_SECONDS);
}

/**
 * Seconds from one call that cannot be undone to the next, after `made` of them in this attempt; null when
 * there may be no more.
 */
export const resubmitWait = (made: number): number | null =>
  made === 0 ? 0 : nextBackoff(made - 1);

/** Source: spec, "Time limits": scheduling horizon. */
export const HORIZON_MONTHS = 6;

/** Returns the reason why a post cannot be planned for `at`; null when it can. */
export function scheduleRefusal(at: Date, now: Date): string | null {
  if (at <= now) return "must be in the future";
  if (at > addMonths(now, HORIZON_MONTHS)) return `must be within ${HORIZON_MONTHS} months`;
  return null;
}

/** Returns true for a job that gets a message of its own now. */
export const isWithinLookAhead = (dueAt: Date, now: Date): boolean =>
  dueAt <= addSeconds(now, LOOK_AHEAD_SECONDS);

/** Names an attempt to callers. */
export const jobIdOf = (uploadId: number, attempt: number): string => `job_${uploadId}_${attempt}`;

/** True for a post that waits for somebody to let it out. */
export const isDraft = (status: UploadStatus): boolean =>
  status === "draft" || status === "pending_approval";

export const isRunnable = (status: UploadStatus): boolean =>
  status === "pending" || status === "scheduled" || status === "processing";

interface GateSubject {
  approvedHash: string | null;
}

interface GateRefusal {
  code: FailureCode;
  message: string;
}

/**
 * The one gate that every post passes at publishing, whatever let it through before: its account can
 * be used, and its content is what was approved.
 *
 * `held`: back to approval. `failed`: it cannot go out.
 *
 * @param contentHash null where no approval is bound to the content
 */
export function publishGate(
  upload: GateSubject,
  account: Pick<AccountRow, "status" | "mode" | "accountName"> | null,
  contentHash: string | null,
  config: { sandboxEnabled: boolean },
): { kind: "open" } | { kind: "held" } | { kind: "failed"; refusal: GateRefusal } {
  if (account?.status !== "active") {
    const message =
      account?.status === "expired"
        ? "The account's login has expired. Reconnect the account and retry."
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
