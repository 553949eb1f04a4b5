import { type SQL, sql } from "drizzle-orm";
import { type Failure, LOOK_FIRST, toFailureObject } from "../../core/failures.ts";
import type { UploadStatus } from "../../core/upload-status.ts";
import { type Query, sqlWrite } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import type { AccountRow } from "../accounts/table.ts";
import { refund, refundable } from "../credits/repo/refunds.ts";
import { isPaid, referenceOf } from "../credits/rules.ts";
import { emitForEach, emitIfChanged } from "../events/repo.ts";
import {
  changeFacts,
  changeUpload,
  forgetFiles,
  moveUploads,
  type RowChanges,
} from "../posts/repo/write.ts";
import type { UploadRow } from "../posts/table.ts";

/**
 * Removes a post that no worker publishes, and the records of the files that it needs. Files shared by a batch stay
 * until the batch's last post ends.
 */
export function removeResting(
  id: number,
  status: UploadStatus,
  now: Date,
  line: Query<number>,
): Query<number>[] {
  return [
    sqlWrite(
      changeFacts(
        { deletedAt: now, dueAt: null },
        sql`u.id = ${id} AND u.status = ${status} AND u.deleted_at IS NULL`,
      ),
    ),
    line,
    forgetFiles(id),
  ];
}

type Attempt = Pick<UploadRow, "id" | "teamId" | "attempt" | "fence">;

/** Records a post's cost if the previous statement of the batch debited it. */
export const noteCost = (id: number, cost: number): Query<number> =>
  sqlWrite(
    changeFacts(
      {
        creditsSpent: sql`coalesce(credits_spent, 0) + ${cost}`,
        creditsRefunded: sql`coalesce(credits_refunded, 0)`,
      },
      sql`id = ${id} AND changes() > 0`,
    ),
  );

const attemptOf = (upload: Omit<Attempt, "fence">): SQL =>
  sql`SELECT ${upload.teamId} AS team_id, ${referenceOf(upload)} AS reference`;

/** Changes that record an attempt's refund, for the statement that ends the attempt. */
export const refundNote = (upload: Omit<Attempt, "fence">): RowChanges => ({
  creditsRefunded: sql`coalesce(credits_refunded, 0) + ${refundable(attemptOf(upload))}`,
});

/** Changes and statements that refund an attempt whose post gets `status`. */
export const creditRefund = (
  now: Date,
  upload: Attempt,
  status: UploadStatus,
): { changes: RowChanges; refund: Query<number>[] } => ({
  changes: { creditsSpent: sql`coalesce(credits_spent, 0)`, ...refundNote(upload) },
  refund: refund(
    now,
    sql`${attemptOf(upload)} FROM uploads u
      WHERE u.id = ${upload.id} AND u.fence = ${upload.fence} AND u.status = ${status}`,
  ),
});

/**
 * Refunds an attempt that an edit replaced by the next one. Belongs in the edit's batch, after the statement that
 * changes the post.
 */
export const refundFollowed = (now: Date, upload: Attempt): Query<number>[] =>
  refund(
    now,
    sql`${attemptOf(upload)} FROM uploads u
      WHERE u.id = ${upload.id} AND u.fence = ${upload.fence} AND u.attempt = ${upload.attempt + 1}`,
  );

/**
 * Refunds the current attempts of all paid posts that match `where`. Belongs in the batch before the statement that
 * ends the attempts.
 */
export function refundUploads(now: Date, where: SQL): Query<number>[] {
  const paidPosts = sql`u.credits_spent > 0 AND u.deleted_at IS NULL AND ${where}`;
  const attempt = sql`SELECT u.team_id, 'upload:' || u.id || ':' || u.attempt AS reference`;
  const refunded = sql`coalesce(credits_refunded, 0) + ${refundable(attempt)}`;
  return [
    sqlWrite(changeFacts({ creditsRefunded: refunded }, paidPosts)),
    ...refund(now, sql`${attempt} FROM uploads u WHERE ${paidPosts}`),
  ];
}

type Clock = Pick<Deps, "newEventId" | "now">;

const mayBePublished = ({ code }: Failure): boolean => code === "platform_processing_timeout";

const errorMessageOf = (failure: Failure): string =>
  mayBePublished(failure)
    ? `${failure.message.replace(/[^.!?]$/, "$&.")} ${LOOK_FIRST}`
    : failure.message;

/** Frees the place under the daily cap, unless the post may have been published. */
const failedWith = (failure: Failure, now: Date): RowChanges => ({
  dueAt: null,
  wokenAt: null,
  leaseUntil: null,
  failedAt: now,
  failureCode: failure.code,
  errorMessage: errorMessageOf(failure),
  ...(mayBePublished(failure) ? {} : { countedAt: null }),
});

const toldOf = (failure: Failure) => ({
  status: "failed" as const,
  errorMessage: errorMessageOf(failure),
  failure: toFailureObject(failure.code),
});

/**
 * Fails an attempt if the job's fence is unchanged, and refunds its credits unless the post may have been published.
 * The first statement answers 1 if the attempt was failed.
 */
export function failAttempt(deps: Clock, upload: UploadRow, failure: Failure): Query<number>[] {
  const { id: uploadId, teamId, platform, accountId } = upload;
  const isRefunded = isPaid(platform) && !mayBePublished(failure);
  const { changes, refund } = isRefunded
    ? creditRefund(deps.now(), upload, "failed")
    : { changes: {}, refund: [] };
  return [
    changeUpload(upload, { status: "failed", ...failedWith(failure, deps.now()), ...changes }),
    emitIfChanged(deps, {
      team: teamId,
      name: "upload.failed",
      data: { uploadId, platform, accountId, ...toldOf(failure) },
    }),
    ...refund,
  ];
}

const failWaitingWhere = (where: SQL, failure: Failure, now: Date): Query<number> =>
  sqlWrite(
    moveUploads({ from: ["scheduled", "pending"], to: "failed" }, failedWith(failure, now), where),
  );

/** ISO 8601, read when the statement runs. */
const plannedTime = (id: number): SQL => sql`(SELECT
  strftime('%Y-%m-%dT%H:%M:%S', scheduled_for / 1000, 'unixepoch') || printf('.%03dZ', scheduled_for % 1000)
  FROM uploads WHERE id = ${id})`;

/**
 * Cancels a waiting post, with event and refund. When a worker has taken the post, nothing changes and the last
 * statement but one answers 0.
 */
export function cancelWaiting(deps: Clock, upload: UploadRow): Query<number>[] {
  const { id, teamId, platform, accountId } = upload;
  const failure: Failure = { code: "cancelled", message: "Cancelled before it was published." };
  const where = sql`u.id = ${id} AND u.deleted_at IS NULL`;
  const refund = isPaid(platform)
    ? refundUploads(deps.now(), sql`u.status IN ('scheduled', 'pending') AND ${where}`)
    : [];
  return [
    ...refund,
    failWaitingWhere(where, failure, deps.now()),
    emitIfChanged(deps, {
      team: teamId,
      name: "upload.cancelled",
      // Another call may have moved the post.
      data: { uploadId: id, platform, accountId, scheduledFor: plannedTime(id) },
    }),
  ];
}

/**
 * Fails a disconnected account's waiting posts with the code account_disconnected, with events and refunds. A post that
 * is being published finishes.
 */
export function failWaiting(deps: Pick<Deps, "now">, account: AccountRow): Query<number>[] {
  const now = deps.now();
  const failure: Failure = {
    code: "account_disconnected",
    message: "The account was disconnected before the post was published.",
  };
  const where = sql`u.team_id = ${account.teamId} AND u.account_id = ${account.id}
    AND u.status_group IN ('scheduled', 'pending') AND u.deleted_at IS NULL`;
  const waiting = sql`u.status <> 'processing' AND ${where}`;
  const event = {
    team: sql`u.team_id`,
    name: "upload.failed",
    data: {
      uploadId: sql`u.id`,
      platform: sql`u.platform`,
      accountId: sql`u.account_id`,
      ...toldOf(failure),
    },
  } as const;
  return [
    ...(isPaid(account.platform) ? refundUploads(now, waiting) : []),
    emitForEach(deps, event, sql`FROM uploads u WHERE ${waiting}`),
    failWaitingWhere(where, failure, now),
  ];
}
