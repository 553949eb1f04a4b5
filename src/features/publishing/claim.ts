import { addSeconds } from "../../core/time.ts";
import { isDraft, isRunnable } from "../../core/upload-status.ts";
import type { Deps } from "../../deps.ts";
import { CAP_WINDOW_MS, dailyCapOf, dailyCaps } from "../limits/rules.ts";
import { type Job, jobById, reachScheduledTime, takeJob } from "./repo/jobs.ts";
import { LEASE_SECONDS, QUEUE_WAIT_MS } from "./rules.ts";

/** `claimed`: this run has the job until its lease ends. */
type ClaimResult =
  | { kind: "claimed"; claim: Job }
  | { kind: "idle" }
  /** `held`: the post's files are downloaded before its approval. */
  | { kind: "held"; claim: Job }
  | { kind: "expired"; claim: Job }
  | { kind: "cap_full"; claim: Job; cap: number };

export async function claimUpload(deps: Deps, id: number): Promise<ClaimResult> {
  const now = deps.now();
  const caps = dailyCaps(deps);
  const taking = takeJob({
    id,
    now,
    leaseUntil: addSeconds(now, LEASE_SECONDS),
    expiredAt: new Date(now.getTime() - QUEUE_WAIT_MS),
    countedSince: new Date(now.getTime() - CAP_WINDOW_MS),
    caps: JSON.stringify(caps),
    highestCap: Math.max(...Object.values(caps)),
  });
  const [, taken, [claim]] = await deps.db.run([
    reachScheduledTime({ id, now }),
    taking,
    jobById({ id }),
  ]);
  if (!claim) return { kind: "idle" };
  if (taken === 1) return { kind: "claimed", claim };
  return notTaken(deps, claim, now);
}

function notTaken(deps: Deps, claim: Job, now: Date): ClaimResult {
  const { status, dueAt, leaseUntil, platform } = claim.upload;
  const isFree = !leaseUntil || leaseUntil <= now;
  if (isDraft(status) && dueAt && dueAt <= now) return { kind: "held", claim };
  if (!isRunnable(status) || !dueAt || dueAt > now || !isFree) return { kind: "idle" };
  if (now.getTime() - dueAt.getTime() >= QUEUE_WAIT_MS) return { kind: "expired", claim };
  return { kind: "cap_full", claim, cap: dailyCapOf(deps, platform) };
}
