import { type SQL, sql } from "drizzle-orm";
import { type Query, sqlWrite } from "../../../db/client.ts";
import { refund, refundable } from "../../credits/repo/refunds.ts";
import { referenceOf } from "../../credits/rules.ts";
import type { UploadStatus } from "../rules.ts";
import type { UploadRow } from "../table.ts";
import { changeFacts, type RowChanges } from "./update.ts";

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
