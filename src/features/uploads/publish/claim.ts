import { sql } from "drizzle-orm";
import { addSeconds } from "../../../core/time.ts";
import { prepared, preparedWrite, type Query } from "../../../db/client.ts";
import { rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import type { Deps } from "../../../deps.ts";
import { type AccountRow, accounts } from "../../accounts/table.ts";
import { type MediaRow, mediaOfUpload } from "../../media/repo.ts";
import { dailyCapOf, dailyCaps } from "../create/admission.ts";
import { CAP_WINDOW_MS, isRunnable, LEASE_SECONDS, QUEUE_WAIT_MS } from "../rules.ts";
import { type UploadRow, uploads } from "../table.ts";

/** A job that is ours until its lease ends: every write names the fence and changes nothing after. */
export interface Claim {
  upload: UploadRow;
  /** Null when the account has been disconnected. */
  account: AccountRow | null;
  media: MediaRow[];
}

/** `idle`: nothing to do here, whatever the message hoped for. */
export type ClaimOutcome =
  | { kind: "claimed"; claim: Claim }
  | { kind: "idle" }
  | { kind: "expired"; claim: Claim }
  | { kind: "cap_full"; claim: Claim; cap: number };

/** The moment a planned post reaches its time, it is pending like any other. */
const reachScheduledTime = preparedWrite(
  ({ id, now }: Params<{ id: number; now: Date }>) =>
    sql`UPDATE uploads SET status = 'pending', status_group = 'pending'
      WHERE id = ${id} AND status = 'scheduled' AND due_at <= ${now} AND deleted_at IS NULL`,
);

interface Taking {
  id: number;
  now: Date;
  leaseUntil: Date;
  /** Jobs that are due since before this have expired. */
  dueAfter: number;
  /** Posts from here on count under the cap. */
  countedAfter: number;
  highestCap: number;
  /** JSON: the daily cap of each platform. */
  caps: string;
}

/**
 * Takes the job and its place under the account's daily cap in one statement, so that no two workers
 * and no two posts can take the same. A job that is being processed already holds its place.
 */
const take = preparedWrite(
  ({ id, now, leaseUntil, dueAfter, countedAfter, highestCap, caps }: Params<Taking>) =>
    sql`UPDATE uploads SET status = 'processing', fence = fence + 1,
      lease_until = ${leaseUntil}, counted_at = ${now},
      crashes = CASE WHEN lease_until IS NULL THEN 0 ELSE crashes + 1 END, progressed_at = COALESCE(progressed_at, ${now})
    WHERE id = ${id} AND status IN ('pending', 'processing') AND due_at <= ${now}
      AND deleted_at IS NULL AND (lease_until IS NULL OR lease_until <= ${now})
      AND (status = 'processing' OR (due_at > ${dueAfter} AND (
        SELECT COUNT(*) FROM (SELECT 1 FROM uploads counted
          WHERE counted.account_id = uploads.account_id AND counted.counted_at > ${countedAfter}
          LIMIT ${highestCap})
      ) < json_extract(${caps}, '$.' || uploads.platform)))`,
);

function takeJob(deps: Deps, id: number, now: Date): Query<number> {
  const caps = dailyCaps(deps);
  return take({
    id,
    now,
    leaseUntil: addSeconds(now, LEASE_SECONDS),
    dueAfter: now.getTime() - QUEUE_WAIT_MS,
    countedAfter: now.getTime() - CAP_WINDOW_MS,
    highestCap: Math.max(...Object.values(caps)),
    caps: JSON.stringify(caps),
  });
}

const jobById = prepared(
  ({ id }: Params<{ id: number }>) =>
    sql`SELECT * FROM ${uploads} WHERE id = ${id} AND deleted_at IS NULL`,
  rowReader(uploads),
);

const accountOfJob = prepared(
  ({ id }: Params<{ id: number }>) =>
    sql`SELECT a.* FROM ${uploads} u JOIN ${accounts} a ON a.id = u.account_id
      WHERE u.id = ${id} AND a.deleted_at IS NULL`,
  rowReader(accounts),
);

/** One round trip: takes the job if it can be taken, and reads what is needed to go on or to tell why not. */
export async function claimUpload(deps: Deps, id: number): Promise<ClaimOutcome> {
  const now = deps.now();
  const [, taken, [upload], [account], media] = await deps.db.run([
    reachScheduledTime({ id, now }),
    takeJob(deps, id, now),
    jobById({ id }),
    accountOfJob({ id }),
    mediaOfUpload(id),
  ]);
  if (!upload) return { kind: "idle" };
  const claim = { upload, account: account ?? null, media };
  if (taken === 1) return { kind: "claimed", claim };
  return whyNotTaken(deps, claim, now);
}

function whyNotTaken(deps: Deps, claim: Claim, now: Date): ClaimOutcome {
  const { status, dueAt, leaseUntil, platform } = claim.upload;
  const isFree = !leaseUntil || leaseUntil <= now;
  if (!isRunnable(status) || !dueAt || dueAt > now || !isFree) return { kind: "idle" };
  if (now.getTime() - dueAt.getTime() >= QUEUE_WAIT_MS) return { kind: "expired", claim };
  return { kind: "cap_full", claim, cap: dailyCapOf(deps, platform) };
}
