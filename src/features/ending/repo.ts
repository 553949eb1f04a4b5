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
 * Removes a post that nobody publishes, and notes that it no longer needs its files. A file that others of
 * its batch need goes with the last of them.
 */
export function removeResting(id: number, status: UploadStatus, now: Date): Query<number>[] {
  return [
    sqlWrite(
      changeFacts(
        { deletedAt: now, dueAt: null },
        sql`u.id = ${id} AND u.status = ${status} AND u.deleted_at IS NULL`,
      ),
    ),
    forgetFiles(id),
  ];
}

type Attempt = Pick<UploadRow, "id" | "teamId" | "attempt" | "fence">;

/** Notes the cost of a post, if the statement just before it in the batch took it from the team. */
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

/** The refund of an attempt as its post notes it, for the statement that ends it. */
export const refundNote = (upload: Omit<Attempt, "fence">): RowChanges => ({
  creditsRefunded: sql`coalesce(credits_refunded, 0) + ${refundable(attemptOf(upload))}`,
});

/** The refund of an attempt, for the write that ends it by giving its post `status`. */
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
 * Gives back the credits of an attempt that an edit of the waiting post has ended: another has followed
 * it, and no worker was in between. For the batch that does so, after the statement that does.
 */
export const refundFollowed = (now: Date, upload: Attempt): Query<number>[] =>
  refund(
    now,
    sql`${attemptOf(upload)} FROM uploads u
      WHERE u.id = ${upload.id} AND u.fence = ${upload.fence} AND u.attempt = ${upload.attempt + 1}`,
  );

/**
 * Gives back the credits of the current attempts of all paid posts that `where` finds: for the batch that
 * ends them, before the statement by which they are found no more.
 */
export function refundUploads(now: Date, where: SQL): Query<number>[] {
  const found = sql`u.credits_spent > 0 AND u.deleted_at IS NULL AND ${where}`;
  const attempt = sql`SELECT u.team_id, 'upload:' || u.id || ':' || u.attempt AS reference`;
  const refunded = sql`coalesce(credits_refunded, 0) + ${refundable(attempt)}`;
  return [
    sqlWrite(changeFacts({ creditsRefunded: refunded }, found)),
    ...refund(now, sql`${attempt} FROM uploads u WHERE ${found}`),
  ];
}

type Clock = Pick<Deps, "newEventId" | "now">;

const mayBePublished = ({ code }: Failure): boolean => code === "platform_processing_timeout";

/** The failure in words for callers. */
const errorMessageOf = (failure: Failure): string =>
  mayBePublished(failure)
    ? `${failure.message.replace(/[^.!?]$/, "$&.")} ${LOOK_FIRST}`
    : failure.message;

/** A post that has failed. Its place under the daily cap is free again, unless it may be published. */
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
 * Ends an attempt as failed, under the fence of its job, and gives its credits back unless the post may be
 * published. The first statement answers 1 if the job was still ours.
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

/** When a post was to go out, as ISO 8601 at the moment the statement runs. */
const plannedTime = (id: number): SQL => sql`(SELECT
  strftime('%Y-%m-%dT%H:%M:%S', scheduled_for / 1000, 'unixepoch') || printf('.%03dZ', scheduled_for % 1000)
  FROM uploads WHERE id = ${id})`;

/**
 * Calls a post off that waits to go out, with its event, and gives back what it paid between two tries.
 * Nothing changes once somebody has begun to publish it: then the last statement but one answers 0.
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
      // Somebody may have moved it since it was read.
      data: { uploadId: id, platform, accountId, scheduledFor: plannedTime(id) },
    }),
  ];
}

/**
 * The posts of a disconnected account that have not gone out: failed as account_disconnected, each with its
 * event, and with its credits back. A post that is being published at this moment is left to finish.
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
