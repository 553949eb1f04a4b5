import { addSeconds } from "../../../core/time.ts";
import type { Deps } from "../../../deps.ts";
import type { AccountRow } from "../../accounts/table.ts";
import { type MediaRow, mediaOfUpload } from "../../media/repo.ts";
import { dailyCapOf, dailyCaps } from "../daily-caps.ts";
import { accountOfJob, jobById, reachScheduledTime, takeJob } from "../repo/jobs.ts";
import { CAP_WINDOW_MS, isRunnable, LEASE_SECONDS, QUEUE_WAIT_MS } from "../rules.ts";
import type { UploadRow } from "../table.ts";

/** A job that is ours until its lease ends: every write names the fence and changes nothing after. */
interface Claim {
  upload: UploadRow;
  /** Null when the account has been disconnected. */
  account: AccountRow | null;
  media: MediaRow[];
}

/** `idle`: nothing to do here, whatever the message hoped for. */
type ClaimResult =
  | { kind: "claimed"; claim: Claim }
  | { kind: "idle" }
  | { kind: "expired"; claim: Claim }
  | { kind: "cap_full"; claim: Claim; cap: number };

/** One round trip: takes the job if it can be taken, and reads what is needed to go on or to tell why not. */
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
  const [, taken, [upload], [account], media] = await deps.db.run([
    reachScheduledTime({ id, now }),
    taking,
    jobById({ id }),
    accountOfJob({ id }),
    mediaOfUpload(id),
  ]);
  if (!upload) return { kind: "idle" };
  const claim = { upload, account: account ?? null, media };
  if (taken === 1) return { kind: "claimed", claim };
  return notTaken(deps, claim, now);
}

function notTaken(deps: Deps, claim: Claim, now: Date): ClaimResult {
  const { status, dueAt, leaseUntil, platform } = claim.upload;
  const isFree = !leaseUntil || leaseUntil <= now;
  if (!isRunnable(status) || !dueAt || dueAt > now || !isFree) return { kind: "idle" };
  if (now.getTime() - dueAt.getTime() >= QUEUE_WAIT_MS) return { kind: "expired", claim };
  return { kind: "cap_full", claim, cap: dailyCapOf(deps, platform) };
}
