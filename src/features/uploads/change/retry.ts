import { AppError, type ErrorCode, notFound } from "../../../core/errors.ts";
import { FAILURES, LOOK_FIRST } from "../../../core/failures.ts";
import type { NamedCall } from "../../../core/idempotency-key.ts";
import type { Platform } from "../../../core/platforms.ts";
import { inSends } from "../../../core/queues.ts";
import { DAY } from "../../../core/time.ts";
import type { Ctx } from "../../../deps.ts";
import { type Done, look, once } from "../../idempotency/once.ts";
import { ALWAYS_NEW } from "../../idempotency/repo.ts";
import { mayPublish } from "../approval.ts";
import { contentHash } from "../create/content-hash.ts";
import {
  capViolation,
  quotaUsedUp,
  requireActive,
  requireConnected,
  requireCredits,
  requireRoom,
} from "../create/quotas.ts";
import { MAX_RETRIED_AT_ONCE, type RetryFilter } from "../lifecycle-schema.ts";
import { wake, wakeTogether } from "../publish/wake.ts";
import { type AccountFacts, accountFacts } from "../repo/facts.ts";
import { needFilesAgain } from "../repo/files.ts";
import type { NextAttempt } from "../repo/next-attempts.ts";
import {
  beginAttempts,
  type Retryable,
  recentFailures,
  stillFailed,
  uploadsLackingFiles,
  uploadToRetry,
} from "../repo/retry.ts";
import type { UploadRow } from "../table.ts";

/** Source: spec, "Time limits": retry-failed window. */
const WINDOW_MS = DAY;

interface Retried {
  uploadId: number;
  status: "pending" | "pending_approval";
}

/**
 * Queues a failed post once more, as a new attempt. The post is held for approval when the caller may not
 * publish, or when it has changed since its approval.
 *
 * @throws AppError NOT_FOUND, and what `requireFailed`, `requireOpen` and `once` throw
 */
export async function retryUpload(
  ctx: Ctx,
  id: number,
  { force, call }: { force: boolean; call: NamedCall | null },
): Promise<Done<Retried>> {
  return once<readonly [Retryable[]], Retried>(ctx, call, () => ({ id, force }), {
    look: () => look(ctx, "posts:write", call, [uploadToRetry(ctx.team, id)]),
    make: async ([[found]], first) => {
      if (!found) throw notFound("Upload");
      const now = ctx.now();
      const { upload } = found;
      requireFailed(found, force);
      const [[account]] = await ctx.db.run([accountFacts(ctx, ctx.team, [upload.accountId])]);
      const facts = requireConnected(account);
      const isHeld = await mustBeHeld(ctx, upload);
      await requireOpen(ctx, found, facts, { isHeld, ofAccount: 0, ofTeam: 0, credits: 0 });
      const made: Retried = { uploadId: id, status: isHeld ? "pending_approval" : "pending" };
      const next = [toNextAttempt(upload, isHeld, now)];
      const [begun] = await ctx.db.run([
        beginAttempts(ctx.team, next, { plan: facts.plan, now, condition: first.isNew }),
        ...first.keep(made, id),
        needFilesAgain(next),
      ]);
      if (begun.length === 0) return null;
      if (!isHeld) await wake(ctx, id, now);
      return made;
    },
  });
}

/**
 * Requires a failed attempt that can be followed by another.
 *
 * @throws AppError ALREADY_RETRYING, NOT_FAILED, NOT_RETRYABLE
 */
function requireFailed({ upload }: Retryable, force: boolean): void {
  const { status, backoffs, submits, failureCode } = upload;
  const isRetrying = backoffs > 0 || submits > 1;
  if ((status === "pending" || status === "processing") && isRetrying) {
    throw new AppError("ALREADY_RETRYING", "The post is still being retried automatically.");
  }
  if (status !== "failed") {
    throw new AppError("NOT_FAILED", `The post is ${status}; only a failed one can be retried.`);
  }
  if (force || !failureCode || FAILURES[failureCode].retryable) return;
  if (failureCode === "platform_processing_timeout")
    throw new AppError("NOT_RETRYABLE", LOOK_FIRST);
  const message = `A retry is not likely to help (${failureCode}). Send force: true to retry anyway.`;
  throw new AppError("NOT_RETRYABLE", message);
}

interface Taking {
  isHeld: boolean;
  /** Posts that the same call has queued already. */
  ofAccount: number;
  ofTeam: number;
  /** Credits that these will cost on X. */
  credits: number;
}

/**
 * Requires that the post can go out as things stand, and returns its cost on X. A post that is held for
 * approval takes no place yet.
 *
 * @throws AppError ACCOUNT_INACTIVE, MEDIA_EXPIRED, DAILY_LIMIT, PLAN_LIMIT, QUEUE_FULL, QUEUE_BUSY
 */
async function requireOpen(
  ctx: Ctx,
  { upload, lacksFile }: Retryable,
  facts: AccountFacts,
  { isHeld, ofAccount, ofTeam, credits }: Taking,
): Promise<number> {
  requireActive(ctx, facts);
  if (lacksFile) throw new AppError("MEDIA_EXPIRED", MEDIA_EXPIRED);
  if (isHeld) return 0;
  const { used, inProgress } = facts;
  const violation = capViolation(ctx, { ...facts, used: used + ofAccount });
  if (violation) throw new AppError("DAILY_LIMIT", violation.message);
  // Whatever was planned, a retry goes out now.
  const now = ctx.now();
  requireRoom({ ...facts, inProgress: inProgress + ofAccount }, now, ofTeam);
  return requireCredits(facts, upload, now, now, credits);
}

const MEDIA_EXPIRED =
  "The files of a failed post are kept for 24 hours, and these are gone. Create the post again.";

async function mustBeHeld(ctx: Ctx, upload: UploadRow): Promise<boolean> {
  if (!mayPublish(ctx.actor)) return true;
  return upload.approvedHash !== null && upload.approvedHash !== (await contentHash(upload));
}

const toNextAttempt = (
  { id, attempt, scheduledFor }: UploadRow,
  isHeld: boolean,
  now: Date,
): NextAttempt => {
  const isEarly = !isHeld && scheduledFor !== null && scheduledFor > now;
  return { id, attempt, isHeld, isEarly };
};

interface Skipped {
  uploadId: number;
  platform: Platform;
  code: ErrorCode | null;
  reason: string;
}

interface RetriedAll {
  retried: number[];
  skipped: Skipped[];
  /** Some of the retried are held for approval. */
  isHeld: boolean;
}

/**
 * Retries what failed in the last 24 hours and may be retried, oldest first, up to 500 posts: each as
 * `retryUpload` would, as far as caps, plan and queue have room.
 */
export async function retryFailed(ctx: Ctx, filter: RetryFilter): Promise<RetriedAll> {
  const now = ctx.now();
  const since = new Date(now.getTime() - WINDOW_MS);
  const [failed] = await ctx.read("posts:write", [
    recentFailures(ctx.team, filter, since, MAX_RETRIED_AT_ONCE),
  ]);
  if (failed.length === 0) return { retried: [], skipped: [], isHeld: false };
  const accountIds = [...new Set(failed.map(({ upload }) => upload.accountId))];
  const [facts] = await ctx.db.run([accountFacts(ctx, ctx.team, accountIds)]);
  const { next, skipped } = await chooseAttempts(ctx, failed, facts);
  const [account] = facts;
  if (next.length === 0 || !account) return { retried: [], skipped, isHeld: false };

  const { plan } = account;
  const [begun, , lacking] = await ctx.db.run([
    beginAttempts(ctx.team, next, { plan, now, condition: ALWAYS_NEW }),
    needFilesAgain(next),
    uploadsLackingFiles(next.map(({ id }) => id)),
  ]);
  const retried = next.filter(({ id }) => begun.includes(id));
  const due = retried.filter(({ isHeld }) => !isHeld).map(({ id }) => id);
  for (const ids of inSends(due)) await wakeTogether(ctx, ids, now);
  const lost = failed.filter(
    ({ upload: { id } }) => next.some((one) => one.id === id) && !begun.includes(id),
  );
  const lostReasons = await reasonsOf(ctx, lost, lacking, account);
  return {
    retried: retried.map(({ id }) => id),
    skipped: [...skipped, ...lostReasons],
    isHeld: retried.some(({ isHeld }) => isHeld),
  };
}

/** Reasons why posts that could have been retried were not: somebody else was faster. */
async function reasonsOf(
  ctx: Ctx,
  lost: readonly Retryable[],
  lacking: readonly number[],
  { plan }: AccountFacts,
): Promise<Skipped[]> {
  if (lost.length === 0) return [];
  const ids = lost.map(({ upload }) => upload.id);
  const [failed] = await ctx.db.run([stillFailed(ctx.team, ids)]);
  return lost.map(({ upload }) => {
    const { id } = upload;
    if (lacking.includes(id)) return toSkipped(upload, "MEDIA_EXPIRED", MEDIA_EXPIRED);
    if (!failed.includes(id)) {
      const message = "Another call retried or removed the post at the same moment.";
      return toSkipped(upload, "NOT_FAILED", message);
    }
    return toSkipped(upload, "PLAN_LIMIT", quotaUsedUp(plan, ctx.now()));
  });
}

const toSkipped = (
  { id, platform }: UploadRow,
  code: ErrorCode | null,
  reason: string,
): Skipped => ({ uploadId: id, platform, code, reason });

/** Goes through the posts in their order, each taking its place from those after it. */
async function chooseAttempts(
  ctx: Ctx,
  failed: readonly Retryable[],
  facts: readonly AccountFacts[],
): Promise<{ next: NextAttempt[]; skipped: Skipped[] }> {
  const byAccount = new Map(facts.map((one) => [one.account.id, one]));
  const taken = new Map<string, number>();
  let ofTeam = 0;
  let credits = 0;
  const next: NextAttempt[] = [];
  const skipped: Skipped[] = [];
  for (const one of failed) {
    const { accountId } = one.upload;
    const ofAccount = taken.get(accountId) ?? 0;
    const isHeld = await mustBeHeld(ctx, one.upload);
    try {
      const taking = { isHeld, ofAccount, ofTeam, credits };
      const account = requireConnected(byAccount.get(accountId));
      credits += await requireOpen(ctx, one, account, taking);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      skipped.push(toSkipped(one.upload, error.code, error.message));
      continue;
    }
    next.push(toNextAttempt(one.upload, isHeld, ctx.now()));
    if (isHeld) continue;
    taken.set(accountId, ofAccount + 1);
    ofTeam++;
  }
  return { next, skipped };
}
