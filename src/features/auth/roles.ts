import { AppError } from "../../core/errors.ts";
import type { Actor, Role } from "../../deps.ts";

/** Acts that need the role of an owner or admin where the posts of members wait for approval. */
const ENDED_BY_MANAGERS = {
  approvedPost: "cancels or deletes posts that others have made or approved",
  account: "disconnects accounts",
  webhook: "pauses and deletes webhooks",
};

/**
 * Spec is silent on what members may end, and forbids by role only what makes something. Where the owner wants the
 * posts of members approved, a member cannot undo what an owner or admin has decided.
 *
 * @throws AppError FORBIDDEN
 */
export function requireMayEnd(
  { needsApproval }: Pick<Actor, "needsApproval">,
  ended: keyof typeof ENDED_BY_MANAGERS,
): void {
  if (!needsApproval) return;
  throw new AppError(
    "FORBIDDEN",
    `The posts of members wait for approval in this team, where only an owner or admin ${ENDED_BY_MANAGERS[ended]}. Ask one of them.`,
  );
}

/** @throws AppError FORBIDDEN with that message for anybody of another role */
export function requireOneOf({ role }: Actor, roles: readonly Role[], message: string): void {
  if (!roles.includes(role)) throw new AppError("FORBIDDEN", message);
}
