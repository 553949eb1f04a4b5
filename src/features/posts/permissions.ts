import { coversScope } from "../../core/scopes.ts";
import type { Actor } from "../../deps.ts";
import type { UploadStatus } from "./rules.ts";

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
