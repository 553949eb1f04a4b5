import { AppError } from "../../core/errors.ts";
import { asSentence } from "../../core/text.ts";
import { addSeconds } from "../../core/time.ts";
import type { Ctx } from "../../deps.ts";
import type { Connector } from "../../platforms/connector.ts";
import type { RemovalCalls, Removed } from "../../platforms/removal.ts";
import type { AccountRow } from "../accounts/table.ts";
import { activityLine } from "../activity/repo.ts";
import { askForAnswer, toAppError } from "../logins/service.ts";
import type { Lease } from "../posts/repo/write.ts";
import { BEING_CHANGED, LEASE_SECONDS } from "../posts/rules.ts";
import type { RemovedPost, UploadRow } from "../posts/table.ts";
import { finishRemoval, keepProgress, releaseRemoval } from "./repo.ts";
import { locked, notUnpublishable, scopeAdvice } from "./rules.ts";

export interface Work {
  ctx: Ctx;
  upload: UploadRow;
  account: AccountRow;
  connector: Connector;
  calls: RemovalCalls;
}

type Taken =
  | { kind: "gone"; how: Removed }
  | { kind: "refused"; error: AppError }
  | { kind: "open"; error: AppError };

/**
 * Deletes the posts with these ids in order, and stores each one that is gone.
 *
 * @throws AppError NOT_UNPUBLISHABLE, ACCOUNT_INACTIVE, RATE_LIMIT, UNAVAILABLE; UPLOAD_LOCKED when another call took over
 */
export async function takeDown(work: Work, ids: readonly string[], lease: Lease): Promise<void> {
  const { ctx, upload } = work;
  const removals: RemovedPost[] = [...(upload.removals ?? [])];
  const remaining = ids.filter((id) => removals.every((one) => one.id !== id));
  let held = lease;
  for (const [index, id] of remaining.entries()) {
    const taken = await removeOne(work, id);
    if (taken.kind !== "gone") {
      await ctx.db.run([releaseRemoval(held, taken.kind === "open")]);
      throw taken.error;
    }
    removals.push({ id, how: taken.how });
    if (index === remaining.length - 1) break;
    const until = addSeconds(ctx.now(), LEASE_SECONDS);
    const [kept] = await ctx.db.run([keepProgress(held, removals, until)]);
    if (kept !== 1) throw locked(BEING_CHANGED);
    held = { ...held, until };
  }
  const [finished] = await ctx.db.runAll([
    ...finishRemoval(ctx, upload, held, removals),
    activityLine(ctx, "upload.unpublished", upload.id),
  ]);
  if (finished !== 1) throw locked(BEING_CHANGED);
}

async function removeOne(work: Work, id: string): Promise<Taken> {
  const { ctx, account, connector, calls, upload } = work;
  const { name } = connector;
  const reply = await askForAnswer(ctx, account, (call) => calls.remove(call, id));
  if (reply?.ok) return { kind: "gone", how: reply.value };
  const refusal = reply?.error ?? null;
  if (refusal instanceof AppError) return { kind: "refused", error: refusal };
  if (refusal?.failure.code === "rate_limited") {
    return { kind: "refused", error: toAppError(account, refusal) };
  }
  const seen = await askForAnswer(ctx, account, (call) => calls.readBack(call, id));
  const isThere = seen?.ok ? seen.value.isThere : null;
  // To a login without access, platforms may deny that the post exists.
  const mayBeHidden = refusal?.failure.code === "account_disconnected";
  if (isThere === false && !mayBeHidden) {
    return { kind: "gone", how: refusal ? "missing" : "deleted" };
  }
  if (refusal && !refusal.transient) {
    const reason = `${name} did not delete the post: ${asSentence(refusal.failure.message)}${scopeAdvice(connector)}`;
    return { kind: "refused", error: notUnpublishable(upload, connector, reason) };
  }
  const stand = isThere
    ? "still shows the post. Ask again."
    : "does not say whether the post is down. Ask again: a post that is gone counts as taken down.";
  const error = refusal
    ? toAppError(account, refusal)
    : new AppError("UNAVAILABLE", `${name} did not answer, and ${stand}`);
  return { kind: isThere ? "refused" : "open", error };
}
