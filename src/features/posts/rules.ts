import { coversScope } from "../../core/scopes.ts";
import { addMonths, addSeconds } from "../../core/time.ts";
import type { UploadStatus } from "../../core/upload-status.ts";
import type { Actor } from "../../deps.ts";

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

/** A job that is due within this is woken by its own message rather than by the next tick. */
export const LOOK_AHEAD_SECONDS = 75;

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

/** The one who brings, edits or retries a post, through whatever door. */
export type Author = Pick<Actor, "role" | "scopes" | "needsApproval">;

/**
 * Returns true for somebody whose posts go out without an approval. Every way in which a post comes to wait
 * for its publishing asks this, or `mayApprove`. Source: spec, "Upload status", Rules.
 */
export const mayPublish = ({ scopes, needsApproval }: Author): boolean =>
  !needsApproval && coversScope(scopes, "posts:publish");

/** Returns true for owners and admins who may publish. Source: spec, "Upload status". */
export const mayApprove = ({ role, scopes }: Author): boolean =>
  role !== "MEMBER" && coversScope(scopes, "posts:publish");

/** The columns of an approval, of a post that has none or has lost it. */
export const NO_APPROVAL = { approvedHash: null, approvedBy: null, approverId: null } as const;

/**
 * Returns the status of a new post. One of somebody who may not publish waits for approval. Spec is silent on
 * their drafts: without posts:publish a draft stays one until it is submitted; a member whose posts need approval
 * has every post put up for it, as the spec says.
 */
export function initialStatus(
  requested: "draft" | "pending_approval" | null,
  scheduledFor: Date | null,
  author: Author,
): UploadStatus {
  if (requested === "draft" && !author.needsApproval) return "draft";
  if (requested || !mayPublish(author)) return "pending_approval";
  return scheduledFor ? "scheduled" : "pending";
}

/** The message of every answer about a post that is held for approval. */
export const HELD_MESSAGE =
  "Held for approval. An owner or admin approves it with POST /upload/{id}/approve or on its page, and it then goes out at its date, or at once where that has passed.";

/** Returns the message about a post in that status; none for one that is on its way. */
export const messageIfHeld = (status: UploadStatus): { message?: string } =>
  status === "pending_approval" ? { message: HELD_MESSAGE } : {};

/**
 * Drafts, and posts that await approval, that a team keeps. Spec is silent: the refusal is QUEUE_FULL,
 * the spec's word for a team that has too many posts standing in line, whatever its plan.
 */
export const MAX_DRAFTS = 10_000;
