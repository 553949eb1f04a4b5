import type { Failure } from "../../core/failures.ts";
import { addSeconds, secondsBetween } from "../../core/time.ts";
import type { ReconcileTiming } from "../../platforms/connector.ts";
import type { UploadRow } from "../posts/table.ts";
import { PROGRESS_DEADLINE_SECONDS, RESTORED } from "./rules.ts";

export function claimFailure(
  claim: { kind: "expired" } | { kind: "cap_full"; cap: number },
): Failure {
  if (claim.kind === "expired") {
    return {
      code: "queue_expired",
      message: "The post waited in the queue for more than 24 hours and was given up.",
    };
  }
  return {
    code: "rate_limited",
    message: `The account has reached its daily cap of ${claim.cap} posts in 24 hours. Retry later.`,
  };
}

export const BROKE_OFF: Failure = {
  code: "unknown",
  message: "Publishing failed several times on our side. Retry, and report it if it fails again.",
};

/** Once the post may be on the platform, a retry could publish it twice. */
export function timeoutOrFailure(upload: UploadRow, failure: Failure): Failure {
  if (upload.stage === "preparing" && upload.backedUpAt === null) return failure;
  return undecided(
    upload,
    `The post may have been published, and the platform cannot be asked: ${failure.message}`,
  );
}

export function reconcileAt({ submittedAt }: UploadRow, timing: ReconcileTiming): Date {
  const { callSeconds, acceptSeconds, listSeconds } = timing;
  return addSeconds(submittedAt ?? new Date(0), callSeconds + acceptSeconds + listSeconds);
}

export const isOverdue = ({ progressedAt }: UploadRow, now: Date): boolean =>
  progressedAt !== null && secondsBetween(progressedAt, now) > PROGRESS_DEADLINE_SECONDS;

/** The post may be on the platform, so a person has to check it before a retry. */
export const undecided = ({ backedUpAt }: UploadRow, message: string): Failure => ({
  code: "platform_processing_timeout",
  message: backedUpAt === null ? message : `${RESTORED} ${message}`,
});

/** The post came from a backup, and the platform does not list it. A person decides about a retry. */
export const restoredAbsent = (name: string): Failure => ({
  code: "queue_expired",
  message: `${RESTORED} It was due before the restore, and ${name} does not list it. Retry it to publish it now.`,
});

export const unavailable = (message: string): Failure => ({
  code: "platform_unavailable",
  message,
});
