import { AppError } from "../../core/errors.ts";
import { FAILURES, LOOK_FIRST } from "../../core/failures.ts";
import type { Ctx } from "../../deps.ts";
import { wakePost } from "../../queue/wake.ts";
import { activityLine } from "../activity/repo.ts";
import type { FirstTime } from "../idempotency/once.ts";
import { accountFacts } from "../limits/repo/facts.ts";
import { requireActive, requireConnected } from "../limits/rules.ts";
import { NO_ACCOUNT_FOR_PARTS, newPart, type Part } from "../posts/parts.ts";
import { mayPublish } from "../posts/rules.ts";
import { beginParts, type Retryable } from "./repo/retry.ts";

const asNew = (part: Part): Part => (part.status === "completed" ? part : newPart(part));

/**
 * Goes on with a published post at its first part that is not out. The post itself is not sent again.
 *
 * @throws AppError FORBIDDEN, NOT_RETRYABLE, ACCOUNT_INACTIVE, MEDIA_EXPIRED
 */
export async function retryParts(
  ctx: Ctx,
  { upload, lacksFile }: Retryable,
  { position, force }: { position: number; force: boolean },
  first: FirstTime,
) {
  const parts = upload.parts ?? [];
  if (!mayPublish(ctx.actor)) {
    throw new AppError("FORBIDDEN", "The post is out. Whoever may publish can retry its parts.");
  }
  requireRetryable(parts[position - 1], force);
  const rest = parts.slice(position - 1);
  if (lacksFile && rest.some(({ media }) => media.length > 0)) {
    throw new AppError("MEDIA_EXPIRED", "The files of these parts are gone. Create a new post.");
  }
  const [[account]] = await ctx.db.run([accountFacts(ctx, ctx.team, [upload.accountId])]);
  requireActive(ctx, requireConnected(account, NO_ACCOUNT_FOR_PARTS));
  const now = ctx.now();
  const made = { uploadId: upload.id, status: "processing" as const };
  const [changed] = await ctx.db.runAll([
    beginParts(upload, { parts: parts.map(asNew), position, now, condition: first.isNew }),
    activityLine(ctx, "upload.retried", upload.id),
    ...first.keep(made, upload.id),
  ]);
  if (changed !== 1) return null;
  await wakePost(ctx, upload.id, now);
  return made;
}

function requireRetryable(part: Part | undefined, force: boolean): void {
  const code = part?.failureCode ?? null;
  if (force || code === null || FAILURES[code].retryable) return;
  const message =
    code === "platform_processing_timeout"
      ? LOOK_FIRST
      : "A retry is not likely to help: what made the part fail would do so again. Change its text first (PATCH /upload/{id} with thread or first_comment), or send force: true to retry anyway.";
  throw new AppError("NOT_RETRYABLE", message);
}
