import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { FAILURES } from "../../core/failures.ts";
import type { Plan } from "../../core/plans.ts";
import type { Platform } from "../../core/platforms.ts";
import { orm, type Query, sqlQuery, sqlWrite } from "../../db/client.ts";
import { rowReader } from "../../db/rows.ts";
import { refundable, refundUploads } from "../credits/repo.ts";
import { type MediaRow, mediaOfUpload } from "../media/repo.ts";
import { hasQuota } from "./create/room.ts";
import type { OlderFilter, RetryFilter } from "./lifecycle-schema.ts";
import { type PageRow, pageColumns, readPageRow } from "./page-size.ts";
import type { StatusGroup, UploadStatus } from "./rules.ts";
import { type OlderRecord, type UploadMetadata, type UploadRow, uploads } from "./table.ts";

const readUpload = rowReader(uploads);

export function ownUpload(team: SQL, id: number): Query<UploadRow[]> {
  return sqlQuery(
    sql`SELECT * FROM uploads WHERE id = ${id} AND team_id = ${team} AND deleted_at IS NULL`,
    readUpload,
  );
}

export const filesOfOwnUpload = (team: SQL, id: number): Query<MediaRow[]> =>
  mediaOfUpload(sql`(SELECT id FROM uploads WHERE id = ${id} AND team_id = ${team})`);

/** Words that no post of the team may hold, lower case. */
export const blocklistOf = (team: SQL): Query<string[][]> =>
  sqlQuery(
    sql`SELECT blocklist FROM teams WHERE id = ${team}`,
    (row) => JSON.parse((row.blocklist as string | null) ?? "[]") as string[],
  );

/**
 * Changes a post only if it is still all that it was when `row` was read, and `condition` holds. Where
 * that ends an attempt, what it was paid counts as given back.
 */
export function changeUnchanged(
  row: UploadRow,
  set: Partial<UploadRow>,
  condition: SQL = sql`TRUE`,
): Query<number> {
  const given =
    set.attempt === undefined
      ? {}
      : { creditsRefunded: sql`coalesce(${uploads.creditsRefunded}, 0) + ${refundable(row)}` };
  return sqlWrite(
    orm
      .update(uploads)
      .set({ ...set, ...given })
      .where(
        and(
          eq(uploads.id, row.id),
          eq(uploads.status, row.status),
          eq(uploads.fence, row.fence),
          isNull(uploads.leaseUntil),
          isNull(uploads.deletedAt),
          sql`${uploads.title} IS ${row.title} AND ${uploads.description} IS ${row.description}
            AND ${uploads.scheduledFor} IS ${row.scheduledFor?.getTime() ?? null}
            AND ${uploads.approvedHash} IS ${row.approvedHash}`,
          condition,
        ),
      ),
  );
}

/** A post that waits to go out, and that nobody has begun to publish. */
const isWaiting = (id: number): SQL =>
  sql`id = ${id} AND status IN ('scheduled', 'pending') AND deleted_at IS NULL`;

/** Calls a post off that waits to go out. Changes nothing once somebody has begun to publish it. */
export const cancelWaiting = (id: number, message: string, now: Date): Query<number> =>
  sqlWrite(sql`UPDATE uploads SET status = 'failed', status_group = 'failed', due_at = NULL,
      woken_at = NULL, counted_at = NULL, failure_code = 'cancelled', error_message = ${message},
      failed_at = ${now.getTime()}
    WHERE ${isWaiting(id)}`);

/** What it was paid between two tries: for the batch that calls it off, before that. */
export const refundWaiting = (id: number, now: Date): Query<number>[] =>
  refundUploads(now, isWaiting(id));

/** When a post was to go out, as ISO 8601 at the moment the statement runs. */
export const plannedTime = (id: number): SQL => sql`(SELECT
  strftime('%Y-%m-%dT%H:%M:%S', scheduled_for / 1000, 'unixepoch') || printf('.%03dZ', scheduled_for % 1000)
  FROM uploads WHERE id = ${id})`;

/**
 * Removes a post that nobody publishes, and says that it needs its files no more. What the other posts of
 * its batch need goes with the last of them.
 */
export function removeResting(id: number, status: UploadStatus, now: Date): Query<number>[] {
  return [
    sqlWrite(sql`UPDATE uploads SET deleted_at = ${now.getTime()}
      WHERE id = ${id} AND status = ${status} AND deleted_at IS NULL`),
    sqlWrite(sql`DELETE FROM media_uses WHERE posts = 1 AND (team_id, sha256, upload_id) IN
      (SELECT u.team_id, item.value ->> 'sha256', u.id
        FROM uploads u CROSS JOIN json_each(u.media) item
        WHERE u.id = ${id} AND u.deleted_at IS NOT NULL)`),
  ];
}

/** Of the upload `u`: a file that it needs is not stored any more. */
const LACKS_FILE = sql`EXISTS (SELECT 1 FROM json_each(u.media) item
  WHERE item.value ->> 'sha256' IS NOT NULL AND NOT EXISTS (SELECT 1 FROM media m
    WHERE m.team_id = u.team_id AND m.sha256 = item.value ->> 'sha256'))`;

export interface Retryable {
  upload: UploadRow;
  lacksFile: boolean;
}

const readRetryable = (row: Record<string, unknown>): Retryable => ({
  upload: readUpload(row),
  lacksFile: row.lacks_file === 1,
});

export function uploadToRetry(team: SQL, id: number): Query<Retryable[]> {
  return sqlQuery(
    sql`SELECT u.*, ${LACKS_FILE} AS lacks_file FROM uploads u
      WHERE u.id = ${id} AND u.team_id = ${team} AND u.deleted_at IS NULL`,
    readRetryable,
  );
}

const RETRYABLE = JSON.stringify(
  Object.entries(FAILURES)
    .filter(([, { retryable }]) => retryable)
    .map(([code]) => code),
);

/** Posts that failed after `since` and may be retried, oldest first. */
export function recentFailures(
  team: SQL,
  { accountId, platform }: RetryFilter,
  since: Date,
  most: number,
): Query<Retryable[]> {
  const wanted = and(
    accountId === undefined ? undefined : sql`u.account_id = ${accountId}`,
    platform && sql`u.platform = ${platform}`,
  );
  return sqlQuery(
    sql`SELECT u.*, ${LACKS_FILE} AS lacks_file FROM uploads u
      WHERE u.team_id = ${team} AND u.status_group = 'failed' AND u.deleted_at IS NULL
        AND u.failed_at > ${since.getTime()}
        AND u.failure_code IN (SELECT value FROM json_each(${RETRYABLE}))
        AND ${wanted ?? sql`TRUE`}
      ORDER BY u.sort_at, u.id LIMIT ${most}`,
    readRetryable,
  );
}

/** A failed attempt to be followed by another. `isHeld`: only after an approval. */
export interface NextAttempt {
  id: number;
  /** The one that failed. */
  attempt: number;
  isHeld: boolean;
  /** It goes out before the time that was planned for it. */
  isEarly: boolean;
}

/** The last value of each: how many places in the month it and those before it take. */
function asJson(attempts: readonly NextAttempt[]): string {
  let places = 0;
  return JSON.stringify(
    attempts.map(({ id, attempt, isHeld, isEarly }) => {
      if (!isHeld) places++;
      return [id, attempt, +isHeld, +isEarly, places];
    }),
  );
}

/** The files of the upload `u`, none of which is noted as gone: others needed them, or brought them again. */
const ALL_FILES_THERE = sql`iif(u.media LIKE '%"isGone"%', (
  SELECT json_group_array(json(iif(item.value ->> 'sha256' IS NULL, item.value,
    json_remove(item.value, '$.isGone', '$.hasThumbnail')))) FROM json_each(u.media) item), u.media)`;

/**
 * Begins the next attempt of posts that are still failed and have all their files, as far as the plan has
 * posts left this month. One that goes out early gives up its plan. The new fence makes an old worker's
 * last write void.
 */
export function beginAttempts(
  team: SQL,
  plan: Plan,
  list: readonly NextAttempt[],
  now: Date,
): Query<number[]> {
  const at = now.getTime();
  const isHeld = sql`wanted.value ->> 2`;
  const status = sql`iif(${isHeld}, 'pending_approval', 'pending')`;
  const due = sql`iif(${isHeld}, NULL, ${at})`;
  const isEarly = sql`wanted.value ->> 3`;
  // Naming the column is enough to have three indexes written anew.
  const planned = list.some((one) => one.isEarly)
    ? sql`, sort_at = iif(${isEarly}, u.created_at, u.sort_at),
        scheduled_for = iif(${isEarly}, NULL, u.scheduled_for)`
    : sql``;
  return sqlQuery(
    sql`UPDATE uploads AS u SET status = ${status}, status_group = ${status},
        attempt = u.attempt + 1, fence = u.fence + 1, backoffs = 0, crashes = 0, restarts = 0, submits = 0,
        stage = 'preparing', bookmark = NULL, lease_until = NULL, progressed_at = NULL,
        submitted_at = NULL, failed_at = NULL, failure_code = NULL, error_message = NULL,
        due_at = ${due}, woken_at = ${due}, media = ${ALL_FILES_THERE},
        approved_hash = iif(${isHeld}, NULL, u.approved_hash)${planned}
      FROM json_each(${asJson(list)}) wanted
      WHERE u.id = wanted.value ->> 0 AND u.attempt = wanted.value ->> 1 AND u.team_id = ${team}
        AND u.status = 'failed' AND u.deleted_at IS NULL AND NOT ${LACKS_FILE}
        AND (${isHeld} OR ${hasQuota(team, plan, now, sql`wanted.value ->> 4`)})
      RETURNING id`,
    (row) => row.id as number,
  );
}

/** The posts of these next attempts need their files again, whatever was cleaned up since they failed. */
export function needFilesAgain(list: readonly NextAttempt[]): Query<number> {
  return sqlWrite(sql`INSERT OR IGNORE INTO media_uses (team_id, sha256, upload_id)
    SELECT u.team_id, item.value ->> 'sha256', u.id FROM json_each(${asJson(list)}) wanted
      CROSS JOIN uploads u CROSS JOIN json_each(u.media) item
    WHERE u.id = wanted.value ->> 0 AND u.attempt = (wanted.value ->> 1) + 1
      AND u.status IN ('pending', 'pending_approval') AND item.value ->> 'sha256' IS NOT NULL`);
}

/** Those of the posts that lack a file. */
export function uploadsLackingFiles(ids: readonly number[]): Query<number[]> {
  return sqlQuery(
    sql`SELECT u.id FROM json_each(${JSON.stringify(ids)}) wanted
      CROSS JOIN uploads u ON u.id = wanted.value WHERE ${LACKS_FILE}`,
    (row) => row.id as number,
  );
}

/** Those of the posts that have failed, and are not taken up again. */
export const stillFailed = (team: SQL, ids: readonly number[]): Query<number[]> =>
  sqlQuery(
    sql`SELECT u.id FROM json_each(${JSON.stringify(ids)}) wanted
      CROSS JOIN uploads u ON u.id = wanted.value
      WHERE u.team_id = ${team} AND u.status = 'failed' AND u.deleted_at IS NULL`,
    (row) => row.id as number,
  );

export interface DayOfAccount {
  platform: Platform;
  /** Posts after `since` that count under the daily cap, up to `most`. */
  used: number;
  /** When the oldest of them took its place. */
  oldestAt: Date | null;
}

/** What an account of the team has used of its day: nothing else of the team is looked at. */
export function dayOfAccount(team: SQL, id: string, since: Date, most: number) {
  const counted = sql`uploads u WHERE u.account_id = a.id AND u.counted_at > ${since.getTime()}`;
  return sqlQuery(
    sql`SELECT a.platform, (SELECT COUNT(*) FROM (SELECT 1 FROM ${counted} LIMIT ${most})) AS used,
        (SELECT u.counted_at FROM ${counted} ORDER BY u.counted_at LIMIT 1) AS oldest
      FROM accounts a WHERE a.id = ${id} AND a.team_id = ${team} AND a.deleted_at IS NULL`,
    (row): DayOfAccount => ({
      platform: row.platform as Platform,
      used: row.used as number,
      oldestAt: row.oldest === null ? null : new Date(row.oldest as number),
    }),
  );
}

/** A statement that ends in its condition, to run only if the one just before it changed a row. */
export const ifChanged = (query: Query<number>): Query<number> => ({
  ...query,
  sql: `${query.sql} AND changes() > 0`,
});

const OLDER_COLUMNS = [
  uploads.id,
  uploads.createdBy,
  uploads.accountId,
  uploads.platform,
  uploads.title,
  uploads.statusGroup,
  uploads.uploadedAt,
  uploads.metadata,
  uploads.fileSize,
];

const LONG = { texts: [uploads.title], json: [uploads.metadata] };

const readOlder = (row: Record<string, unknown>): OlderRecord => ({
  id: row.id as number,
  createdBy: row.created_by as number | null,
  accountId: row.account_id as string,
  platform: row.platform as Platform,
  title: row.title as string | null,
  status: row.status_group as StatusGroup,
  uploadedAt: row.uploaded_at === null ? null : new Date(row.uploaded_at as number),
  metadata: JSON.parse((row.metadata as string | null) ?? "null") as UploadMetadata | null,
  fileSize: row.file_size as number,
});

/** A page of posts, most recent first: by planned date, else by date of creation. */
export function olderPage(team: SQL, filter: OlderFilter): Query<PageRow<OlderRecord>[]> {
  const { page, perPage, platform, status } = filter;
  const where = and(
    sql`team_id = ${team} AND deleted_at IS NULL`,
    platform && sql`platform = ${platform}`,
    status && sql`status_group = ${status}`,
  );
  return sqlQuery(
    sql`SELECT ${pageColumns(OLDER_COLUMNS, LONG, perPage)}
      FROM ${uploads} WHERE ${where} ORDER BY sort_at DESC, id DESC
      LIMIT ${perPage} OFFSET ${(page - 1) * perPage}`,
    readPageRow(readOlder),
  );
}

const OLDER = sql.join(OLDER_COLUMNS, sql`, `);

export function olderById(team: SQL, id: number): Query<OlderRecord[]> {
  return sqlQuery(
    sql`SELECT ${OLDER} FROM ${uploads} WHERE id = ${id} AND team_id = ${team}
      AND deleted_at IS NULL`,
    readOlder,
  );
}

/** Those of the team's posts, in no order. */
export function olderByIds(team: SQL, ids: readonly number[]): Query<OlderRecord[]> {
  return sqlQuery(
    sql`SELECT ${OLDER} FROM json_each(${JSON.stringify(ids)}) wanted
      CROSS JOIN ${uploads} ON ${uploads.id} = wanted.value
      WHERE team_id = ${team} AND deleted_at IS NULL`,
    readOlder,
  );
}
