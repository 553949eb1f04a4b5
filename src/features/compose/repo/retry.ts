import { and, type SQL, sql } from "drizzle-orm";
import { FAILURES } from "../../../core/failures.ts";
import type { Plan } from "../../../core/plans.ts";
import { type Query, sqlQuery } from "../../../db/client.ts";
import { flag } from "../../../db/columns.ts";
import { type RawRow, rowReader, valueReader } from "../../../db/rows.ts";
import type { Claim } from "../../limits/content-rules.ts";
import { heldKeys } from "../../limits/repo/compared.ts";
import { hasQuota } from "../../limits/repo/room.ts";
import { PART_BEGINS, type Part, warningsBefore } from "../../posts/parts.ts";
import { type Changes, changeUpload, moveUploads, needAllFiles } from "../../posts/repo/write.ts";
import { type PostDigest, type UploadRow, uploads } from "../../posts/table.ts";
import type { RetryFilter } from "../schema.ts";

export interface NextAttempt {
  id: number;
  attempt: number;
  isHeld: boolean;
  needsDownload: boolean;
  /** The attempt is published before the post's planned date. */
  isEarly: boolean;
  /** The new date for quotas and comparison; null keeps the old one. */
  sortAt: Date | null;
  digest: PostDigest;
  /** Null for attempts that wait for approval, and on platforms with a repeat rule of their own. */
  claim: Claim | null;
}

/** An attempt's fifth value counts the quota places of this attempt and all before it. */
export function asJson(attempts: readonly NextAttempt[]): string {
  let places = 0;
  return JSON.stringify(
    attempts.map(({ id, attempt, isHeld, needsDownload, isEarly, sortAt, digest, claim }) => {
      if (!isHeld) places++;
      const counted = sortAt?.getTime() ?? null;
      const row = [id, attempt, +isHeld, +isEarly, places, counted];
      return [...row, JSON.stringify(digest), claim?.key ?? null, +needsDownload];
    }),
  );
}

/** A clean-up may have released the files since the failure. */
export const needFilesAgain = (list: readonly NextAttempt[]): Query<number> =>
  needAllFiles(
    sql`json_each(${asJson(list)}) wanted CROSS JOIN uploads u`,
    sql`u.id = wanted.value ->> 0 AND u.attempt = (wanted.value ->> 1) + 1
      AND u.status IN ('pending', 'pending_approval')`,
  );

const readUpload = rowReader(uploads);
const readId = valueReader(uploads.id);
const readLacksFile = valueReader(flag("lacks_file").notNull());

const LACKS_FILE = sql`EXISTS (SELECT 1 FROM json_each(u.media) item
  WHERE item.value ->> 'sha256' IS NOT NULL AND NOT EXISTS (SELECT 1 FROM media m
    WHERE m.team_id = u.team_id AND m.sha256 = item.value ->> 'sha256'))`;

export interface Retryable {
  upload: UploadRow;
  lacksFile: boolean;
}

const readRetryable = (row: RawRow): Retryable => ({
  upload: readUpload(row),
  lacksFile: readLacksFile(row),
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

export function recentFailures(
  team: SQL,
  { accountId, platform }: RetryFilter,
  since: Date,
  max: number,
): Query<Retryable[]> {
  const filters = and(
    accountId === undefined ? undefined : sql`u.account_id = ${accountId}`,
    platform === undefined ? undefined : sql`u.platform = ${platform}`,
  );
  return sqlQuery(
    sql`SELECT u.*, ${LACKS_FILE} AS lacks_file FROM uploads u
      WHERE u.team_id = ${team} AND u.status_group = 'failed' AND u.deleted_at IS NULL
        AND u.failed_at > ${since.getTime()}
        AND u.failure_code IN (SELECT value FROM json_each(${RETRYABLE}))
        AND ${filters ?? sql`TRUE`}
      ORDER BY u.sort_at, u.id LIMIT ${max}`,
    readRetryable,
  );
}

/** The post's files without the mark `isGone`: LACKS_FILE has shown that all are stored. */
const ALL_FILES_THERE = sql`iif(u.media LIKE '%"isGone"%', (
  SELECT json_group_array(json(iif(item.value ->> 'sha256' IS NULL, item.value,
    json_remove(item.value, '$.isGone', '$.hasThumbnail')))) FROM json_each(u.media) item), u.media)`;

interface Beginning {
  plan: Plan;
  now: Date;
  /** SQL condition: the idempotency key is new. */
  condition: SQL;
}

/**
 * Begins the next attempt of failed posts that have all their files, while the plan has quota and no other post holds
 * their claims. The new fence invalidates an old worker's writes.
 */
export function beginAttempts(
  team: SQL,
  list: readonly NextAttempt[],
  { plan, now, condition }: Beginning,
): Query<number[]> {
  const isHeld = sql`wanted.value ->> 2`;
  const accountIds = list.flatMap(({ claim }) => claim?.accountId ?? []);
  const needsDownload = sql`wanted.value ->> 8`;
  const due = sql`iif(${isHeld} AND NOT ${needsDownload}, NULL, ${now.getTime()})`;
  const isEarly = sql`wanted.value ->> 3`;
  // Setting `sort_at` rewrites three indexes.
  const planned: Changes = list.some((one) => one.isEarly || one.sortAt)
    ? {
        sortAt: sql`coalesce(wanted.value ->> 5, u.sort_at)`,
        scheduledFor: sql`iif(${isEarly}, NULL, u.scheduled_for)`,
      }
    : {};
  const update = moveUploads(
    { from: ["failed"], to: { when: isHeld, becomes: "pending_approval", otherwise: "pending" } },
    {
      attempt: sql`u.attempt + 1`,
      fence: sql`u.fence + 1`,
      backoffs: 0,
      crashes: 0,
      restarts: 0,
      submits: 0,
      stage: "preparing",
      bookmark: null,
      sentBytes: null,
      leaseUntil: null,
      progressedAt: null,
      submittedAt: null,
      backedUpAt: null,
      failedAt: null,
      failureCode: null,
      errorMessage: null,
      dueAt: due,
      wokenAt: due,
      media: ALL_FILES_THERE,
      textDigest: sql`wanted.value ->> 6`,
      approvedHash: sql`iif(${isHeld}, NULL, u.approved_hash)`,
      approvedBy: sql`iif(${isHeld}, NULL, u.approved_by)`,
      ...planned,
    },
    sql`u.id = wanted.value ->> 0 AND u.attempt = wanted.value ->> 1 AND u.team_id = ${team}
      AND u.deleted_at IS NULL AND NOT ${LACKS_FILE} AND ${condition}
      AND (${isHeld} OR ${hasQuota(team, plan, now, sql`wanted.value ->> 4`)})
      AND ifnull(wanted.value ->> 7 NOT IN ${heldKeys(accountIds, now)}, TRUE)`,
    sql`FROM json_each(${asJson(list)}) wanted`,
  );
  return sqlQuery(sql`${update} RETURNING id`, readId);
}

interface FollowingParts {
  parts: Part[];
  position: number;
  now: Date;
  condition: SQL;
}

export const beginParts = (
  upload: UploadRow,
  { parts, position, now, condition }: FollowingParts,
): Query<number> => {
  const warnings = warningsBefore(upload.metadata?.warnings ?? [], position);
  return changeUpload(
    upload,
    {
      status: "processing",
      parts,
      part: position,
      attempt: sql`u.attempt + 1`,
      fence: sql`u.fence + 1`,
      ...PART_BEGINS,
      metadata: upload.metadata && {
        videoId: upload.metadata.videoId,
        shareUrl: upload.metadata.shareUrl,
        ...(warnings.length > 0 ? { warnings } : {}),
      },
      progressedAt: now,
      dueAt: now,
      wokenAt: now,
    },
    condition,
  );
};

export function uploadsLackingFiles(ids: readonly number[]): Query<number[]> {
  return sqlQuery(
    sql`SELECT u.id FROM json_each(${JSON.stringify(ids)}) wanted
      CROSS JOIN uploads u ON u.id = wanted.value WHERE ${LACKS_FILE}`,
    readId,
  );
}

export const stillFailed = (team: SQL, ids: readonly number[]): Query<number[]> =>
  sqlQuery(
    sql`SELECT u.id FROM json_each(${JSON.stringify(ids)}) wanted
      CROSS JOIN uploads u ON u.id = wanted.value
      WHERE u.team_id = ${team} AND u.status = 'failed' AND u.deleted_at IS NULL`,
    readId,
  );
