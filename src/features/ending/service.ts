import { AppError, notFound } from "../../core/errors.ts";
import type { UploadStatus } from "../../core/upload-status.ts";
import type { Ctx } from "../../deps.ts";
import { activityLine } from "../activity/repo.ts";
import { refuseMissing } from "../archive/read.ts";
import { requireMayEnd } from "../auth/rules.ts";
import { ownUpload } from "../posts/repo/read.ts";
import { isOthersDecision } from "../posts/rules.ts";
import { cancelWaiting, removeResting } from "./repo.ts";

/** `status`: after cancelling, or before removal. */
interface Deleted {
  result: "cancelled" | "removed";
  status: UploadStatus;
}

/**
 * Cancels a waiting post, removes any other. When publishing begins at the same moment, exactly one of the two takes
 * effect.
 *
 * @throws AppError NOT_FOUND, ARCHIVED, NOT_CANCELLABLE; FORBIDDEN for a member whose posts need approval, when another person
 * made or approved the post
 */
export async function deleteUpload(ctx: Ctx, id: number): Promise<Deleted> {
  const [[row]] = await ctx.read("posts:write", [ownUpload(ctx.team, id)]);
  if (!row) throw await refuseMissing(ctx, id, notFound("Upload"));
  const { status } = row;
  if (isOthersDecision(row, ctx.actor)) requireMayEnd(ctx.actor, "approvedPost");
  if (status === "processing") {
    throw notCancellable("The post is being published and cannot be cancelled.");
  }
  if (status === "completed") {
    throw notCancellable("The post is published. POST /upload/{id}/unpublish takes it down.");
  }
  const isWaiting = status === "scheduled" || status === "pending";
  // In both lists, the last statement but one answers 1 if the post changed.
  const changed = await ctx.db.runAll(
    isWaiting
      ? [...cancelWaiting(ctx, row), activityLine(ctx, "upload.cancelled", id)]
      : removeResting(id, status, ctx.now(), activityLine(ctx, "upload.deleted", id)),
  );
  if (changed.at(-2) !== 1) {
    throw notCancellable("The post has just changed, or is being published. Read it again.");
  }
  return isWaiting ? { result: "cancelled", status: "failed" } : { result: "removed", status };
}

const notCancellable = (message: string) => new AppError("NOT_CANCELLABLE", message);
