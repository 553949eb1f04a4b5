import { coversScope } from "../../core/scopes.ts";
import { addMonths, addSeconds } from "../../core/time.ts";
import type { UploadStatus } from "../../core/upload-status.ts";
import type { Actor } from "../../deps.ts";
import type { Connector } from "../../platforms/connector.ts";

/** `submitting`: the irreversible call has begun. `settling`: the platform accepted it. */
export type Stage = "preparing" | "submitting" | "settling";

export const PHASES = ["preparing", "sending", "publishing", "processing"] as const;

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

export function progressOf(upload: ProgressSubject): Progress | null {
  if (upload.status !== "processing") return null;
  const { stage, fileSize: totalBytes } = upload;
  if (stage === "settling") return { phase: "processing", sentBytes: totalBytes, totalBytes };
  if (stage === "submitting") return { phase: "publishing", sentBytes: totalBytes, totalBytes };
  const phase = upload.sentBytes === null ? "preparing" : "sending";
  return { phase, sentBytes: Math.min(upload.sentBytes ?? 0, totalBytes), totalBytes };
}

/** Jobs due within these seconds are woken by their own message, later ones by the cron sweep. */
export const LOOK_AHEAD_SECONDS = 75;

/** Source: spec, "Time limits": scheduling horizon. */
export const HORIZON_MONTHS = 6;

export function scheduleRefusal(at: Date, now: Date): string | null {
  if (at <= now) return "must be in the future";
  if (at > addMonths(now, HORIZON_MONTHS)) return `must be within ${HORIZON_MONTHS} months`;
  return null;
}

export const isWithinLookAhead = (dueAt: Date, now: Date): boolean =>
  dueAt <= addSeconds(now, LOOK_AHEAD_SECONDS);

export const LEASE_SECONDS = 120;

export const BEING_CHANGED =
  "The post is being edited or taken down at its platform. Ask again in two minutes.";

export const jobIdOf = (uploadId: number, attempt: number): string => `job_${uploadId}_${attempt}`;

export type Author = Pick<Actor, "role" | "scopes" | "needsApproval">;

/**
 * True when the caller's posts go out without approval. Every path that queues a post checks this or `mayApprove`.
 * Source: spec, "Upload status", Rules.
 */
export const mayPublish = ({ scopes, needsApproval }: Author): boolean =>
  !needsApproval && coversScope(scopes, "posts:publish");

/** Source: spec, "Upload status". */
export const mayApprove = ({ role, scopes }: Author): boolean =>
  role !== "MEMBER" && coversScope(scopes, "posts:publish");

interface Decided {
  status: UploadStatus;
  approvedHash: string | null;
  approverId: number | null;
  createdBy: number | null;
}

/**
 * Returns true for a post that another person made or approved, even if an edit has voided the
 * approval.
 */
export const isOthersDecision = (
  { status, approvedHash, approverId, createdBy }: Decided,
  { userId }: Pick<Actor, "userId">,
): boolean =>
  createdBy !== userId || (status !== "failed" && (approvedHash ?? approverId) !== null);

interface Published extends Decided {
  approvedBy: "team" | "client" | null;
}

export function correctionRefusal(
  actor: Author & Pick<Actor, "userId">,
  upload: Published,
): string | null {
  if (upload.approvedBy === "client") {
    return "A client approved the post, and cannot see an edit of it any more.";
  }
  if (mayApprove(actor)) return null;
  if (mayPublish(actor) && !isOthersDecision(upload, actor)) return null;
  return "The post is out, so an edit cannot wait for approval. Ask an owner or admin of the team to edit it.";
}

export function correctionObstacle(
  { name, correction }: Pick<Connector, "name" | "correction">,
  { metadata, unpublishedAt }: { metadata: { videoId: string } | null; unpublishedAt: Date | null },
): string | null {
  if (unpublishedAt) return "The post has been taken down.";
  if (!correction.calls) return `${name} offers this app no way to edit published posts.`;
  return metadata?.videoId ? null : "The platform gave no id of the post.";
}

export const NO_APPROVAL = { approvedHash: null, approvedBy: null, approverId: null } as const;

/**
 * Spec is silent on drafts of callers who may not publish: without posts:publish, a draft stays a draft until it is
 * submitted; a member whose posts need approval gets `pending_approval` for every post.
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

export const HELD_MESSAGE =
  "Held for approval. An owner or admin approves it with POST /upload/{id}/approve or on its page, and it then goes out at its date, or at once where that has passed.";

export const messageIfHeld = (status: UploadStatus): { message?: string } =>
  status === "pending_approval" ? { message: HELD_MESSAGE } : {};

/**
 * Drafts and posts awaiting approval, per team. Spec is silent: the refusal is QUEUE_FULL, as for other full queues.
 */
export const MAX_DRAFTS = 10_000;
