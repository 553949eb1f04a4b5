import { AppError, type ErrorCode, notFound } from "../../core/errors.ts";
import { FAILURES, LOOK_FIRST } from "../../core/failures.ts";
import type { NamedCall } from "../../core/idempotency-key.ts";
import type { Platform } from "../../core/platforms.ts";
import { inSends } from "../../core/queues.ts";
import { DAY } from "../../core/time.ts";
import { STATUS_WORDS } from "../../core/upload-status.ts";
import type { Ctx } from "../../deps.ts";
import { wakePost, wakePosts } from "../../queue/wake.ts";
import { activityLine } from "../activity/repo.ts";
import { refuseMissing } from "../archive/read.ts";
import { needsDownload } from "../content/files.ts";
import { contentHash } from "../content/version.ts";
import { type Done, look, once } from "../idempotency/once.ts";
import { ALWAYS_NEW } from "../idempotency/repo.ts";
import {
  type Claim,
  claimKey,
  claimOf,
  digestOf,
  duplicateOf,
  type RecentPost,
} from "../limits/content-rules.ts";
import { claimHolders } from "../limits/repo/compared.ts";
import { accountFacts } from "../limits/repo/facts.ts";
import {
  type AccountFacts,
  capViolation,
  quotaUsedUp,
  requireActive,
  requireConnected,
  requireCredits,
  requireRoom,
  type Violation,
} from "../limits/rules.ts";
import { positionToRetry } from "../posts/parts.ts";
import { mayPublish } from "../posts/rules.ts";
import type { UploadRow } from "../posts/table.ts";
import { refuseViolations } from "./judge.ts";
import {
  beginAttempts,
  type NextAttempt,
  needFilesAgain,
  type Retryable,
  recentFailures,
  stillFailed,
  uploadsLackingFiles,
  uploadToRetry,
} from "./repo/retry.ts";
import { MAX_RETRIED_AT_ONCE, type RetryFilter } from "./schema.ts";

/** Source: spec, "Time limits": retry-failed window. */
const WINDOW_MS = DAY;

interface Retried {
  uploadId: number;
  status: "pending" | "pending_approval" | "processing";
}

/**
 * Queues a new attempt. It needs an approval when the caller may not publish, or when the post has changed since its
 * approval.
 *
 * @throws AppError NOT_FOUND, ARCHIVED; refusals by status, account, plan, caps or repetition; and what `once` throws
 */
export async function retryUpload(
  ctx: Ctx,
  id: number,
  { force, call }: { force: boolean; call: NamedCall | null },
): Promise<Done<Retried>> {
  return once<readonly [Retryable[]], Retried>(ctx, call, () => ({ id, force }), {
    look: () => look(ctx, "posts:write", call, [uploadToRetry(ctx.team, id)]),
    make: async ([[retryable]], first) => {
      if (!retryable) throw await refuseMissing(ctx, id, notFound("Upload"));
      const now = ctx.now();
      const { upload } = retryable;
      const position = positionToRetry(upload);
      if (position !== null) {
        const { retryParts } = await import("./retry-parts.ts");
        return retryParts(ctx, retryable, { position, force }, first);
      }
      requireFailed(retryable, force);
      const isHeld = await mustBeHeld(ctx, upload);
      const attempt = await toNextAttempt(upload, isHeld, now);
      const next = [attempt];
      const [[account], holders] = await ctx.db.run([
        accountFacts(ctx, ctx.team, [upload.accountId]),
        claimHolders(claimsOf(next)),
      ]);
      const facts = requireConnected(account);
      requireUnclaimed(upload, attempt, byKey(holders));
      await requireOpen(ctx, retryable, facts, { isHeld, ofAccount: 0, ofTeam: 0, credits: 0 });
      const made: Retried = { uploadId: id, status: isHeld ? "pending_approval" : "pending" };
      const [startedIds] = await ctx.db.run([
        beginAttempts(ctx.team, next, { plan: facts.plan, now, condition: first.isNew }),
        activityLine(ctx, "upload.retried", id),
        ...first.keep(made, id),
        needFilesAgain(next),
      ]);
      if (startedIds.length === 0) return null;
      if (!isHeld || needsDownload(upload)) await wakePost(ctx, id, now);
      return made;
    },
  });
}

/** @throws AppError ALREADY_RETRYING, NOT_FAILED, NOT_RETRYABLE */
function requireFailed({ upload }: Retryable, force: boolean): void {
  const { status, backoffs, submits, failureCode } = upload;
  const isRetrying = backoffs > 0 || submits > 1;
  if ((status === "pending" || status === "processing") && isRetrying) {
    throw new AppError("ALREADY_RETRYING", "The post is still being retried automatically.");
  }
  if (status !== "failed") {
    throw new AppError(
      "NOT_FAILED",
      `The post is ${STATUS_WORDS[status]}; only a failed one can be retried.`,
    );
  }
  if (force || !failureCode || FAILURES[failureCode].retryable) return;
  if (failureCode === "platform_processing_timeout")
    throw new AppError("NOT_RETRYABLE", LOOK_FIRST);
  const message =
    "A retry is not likely to help: what made it fail would do so again. Send force: true to retry anyway.";
  throw new AppError("NOT_RETRYABLE", message);
}

interface Taking {
  isHeld: boolean;
  ofAccount: number;
  ofTeam: number;
  credits: number;
}

/**
 * Returns the post's cost on X. A post that needs approval takes no quota yet.
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
  const violation = capViolation(ctx, { ...facts, used: used + ofAccount }, upload.posts);
  if (violation) throw new AppError("DAILY_LIMIT", violation.message);
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

/** The retry of an older post counts for quotas at the time of the retry. Spec is silent. */
const COUNTS_ANEW_AFTER_MS = DAY;

async function toNextAttempt(upload: UploadRow, isHeld: boolean, now: Date): Promise<NextAttempt> {
  const { id, attempt, scheduledFor, createdAt } = upload;
  const isEarly = !isHeld && scheduledFor !== null && scheduledFor > now;
  const countedAt = isEarly ? createdAt : upload.sortAt;
  const isOld = !isHeld && now.getTime() - countedAt.getTime() > COUNTS_ANEW_AFTER_MS;
  const sortAt = isOld ? now : isEarly ? createdAt : null;
  const digest = await digestOf(upload);
  const status = isHeld ? "pending_approval" : "pending";
  const claim = claimOf({ ...upload, status, textDigest: digest }, now, id);
  const due = isHeld && needsDownload(upload);
  return { id, attempt, isHeld, needsDownload: due, isEarly, sortAt, digest, claim };
}

const claimsOf = (attempts: readonly NextAttempt[]): Claim[] =>
  attempts.flatMap(({ claim }) => claim ?? []);

type Holders = Map<string | null, Pick<RecentPost, "id" | "at">>;

const byKey = (posts: readonly RecentPost[]): Holders =>
  new Map(posts.map((post) => [claimKey(post.accountId, post.digest), post]));

/** @throws AppError 400 with the violation when another post has the same text and files */
function requireUnclaimed({ platform }: UploadRow, { claim }: NextAttempt, holders: Holders): void {
  const holder = claim && holders.get(claim.key);
  if (holder) refuseViolations([duplicateOf(platform, holder)]);
}

interface Skipped {
  uploadId: number;
  platform: Platform;
  code: ErrorCode | Violation["type"] | null;
  reason: string;
}

interface RetriedAll {
  retried: number[];
  skipped: Skipped[];
  isHeld: boolean;
}

/** Retries up to 500 retryable posts of the last 24 hours, oldest first, while caps, plan and queue have room. */
export async function retryFailed(ctx: Ctx, filter: RetryFilter): Promise<RetriedAll> {
  const now = ctx.now();
  const since = new Date(now.getTime() - WINDOW_MS);
  const [failed] = await ctx.read("posts:write", [
    recentFailures(ctx.team, filter, since, MAX_RETRIED_AT_ONCE),
  ]);
  if (failed.length === 0) return { retried: [], skipped: [], isHeld: false };
  const accountIds = [...new Set(failed.map(({ upload }) => upload.accountId))];
  const attempts = await Promise.all(
    failed.map(async ({ upload }) => toNextAttempt(upload, await mustBeHeld(ctx, upload), now)),
  );
  const [facts, holders] = await ctx.db.run([
    accountFacts(ctx, ctx.team, accountIds),
    claimHolders(claimsOf(attempts)),
  ]);
  const { next, skipped } = await chooseAttempts(ctx, failed, attempts, {
    facts,
    holders: byKey(holders),
  });
  const [account] = facts;
  if (next.length === 0 || !account) return { retried: [], skipped, isHeld: false };

  const { plan } = account;
  const [only] = next.length === 1 ? next : [];
  const [startedIds, , , lacking] = await ctx.db.run([
    beginAttempts(ctx.team, next, { plan, now, condition: ALWAYS_NEW }),
    activityLine(ctx, "upload.retried", only?.id ?? null),
    needFilesAgain(next),
    uploadsLackingFiles(next.map(({ id }) => id)),
  ]);
  const retried = next.filter(({ id }) => startedIds.includes(id));
  const due = retried
    .filter(({ isHeld, needsDownload }) => !isHeld || needsDownload)
    .map(({ id }) => id);
  for (const ids of inSends(due)) await wakePosts(ctx, ids, now);
  const lost = failed.filter(
    ({ upload: { id } }) => next.some((one) => one.id === id) && !startedIds.includes(id),
  );
  const lostReasons = await reasonsOf(ctx, lost, { attempts: next, lacking, account });
  return {
    retried: retried.map(({ id }) => id),
    skipped: [...skipped, ...lostReasons],
    isHeld: retried.some(({ isHeld }) => isHeld),
  };
}

interface LostCall {
  attempts: readonly NextAttempt[];
  lacking: readonly number[];
  account: AccountFacts;
}

/** Explains why chosen posts were not retried: another call was faster. */
async function reasonsOf(
  ctx: Ctx,
  lost: readonly Retryable[],
  { attempts, lacking, account }: LostCall,
): Promise<Skipped[]> {
  if (lost.length === 0) return [];
  const { plan } = account;
  const ids = lost.map(({ upload }) => upload.id);
  const claims = claimsOf(attempts.filter(({ id }) => ids.includes(id)));
  const [failed, claimants] = await ctx.db.run([stillFailed(ctx.team, ids), claimHolders(claims)]);
  const holders = byKey(claimants);
  return lost.map(({ upload }) => {
    const { id } = upload;
    if (lacking.includes(id)) return toSkipped(upload, "MEDIA_EXPIRED", MEDIA_EXPIRED);
    if (!failed.includes(id)) {
      const message = "Another call retried or removed the post at the same moment.";
      return toSkipped(upload, "NOT_FAILED", message);
    }
    const key = attempts.find((one) => one.id === id)?.claim?.key;
    const holder = key && holders.get(key);
    if (holder) {
      const { type, message } = duplicateOf(upload.platform, holder);
      return toSkipped(upload, type, message);
    }
    return toSkipped(upload, "PLAN_LIMIT", quotaUsedUp(plan, ctx.now()));
  });
}

const toSkipped = (
  { id, platform }: UploadRow,
  code: Skipped["code"],
  reason: string,
): Skipped => ({ uploadId: id, platform, code, reason });

function codeOf({ code, extras }: AppError): Skipped["code"] {
  const [violation] = (extras.violations ?? []) as Violation[];
  return code ?? violation?.type ?? null;
}

/** Each selected post leaves less room for the posts after it. */
async function chooseAttempts(
  ctx: Ctx,
  failed: readonly Retryable[],
  attempts: readonly NextAttempt[],
  { facts, holders }: { facts: readonly AccountFacts[]; holders: Holders },
): Promise<{ next: NextAttempt[]; skipped: Skipped[] }> {
  const byAccount = new Map(facts.map((one) => [one.account.id, one]));
  const taken = new Map<string, number>();
  let ofTeam = 0;
  let credits = 0;
  const next: NextAttempt[] = [];
  const skipped: Skipped[] = [];
  for (const [i, one] of failed.entries()) {
    const attempt = attempts[i] as NextAttempt;
    const { id, accountId } = one.upload;
    const { isHeld, claim } = attempt;
    const ofAccount = taken.get(accountId) ?? 0;
    try {
      requireUnclaimed(one.upload, attempt, holders);
      const taking = { isHeld, ofAccount, ofTeam, credits };
      const account = requireConnected(byAccount.get(accountId));
      credits += await requireOpen(ctx, one, account, taking);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      skipped.push(toSkipped(one.upload, codeOf(error), error.message));
      continue;
    }
    next.push(attempt);
    if (isHeld) continue;
    if (claim) holders.set(claim.key, { id, at: claim.at });
    taken.set(accountId, ofAccount + 1);
    ofTeam++;
  }
  return { next, skipped };
}
