import { sql } from "drizzle-orm";
import { prepared, preparedWrite } from "../../../db/client.ts";
import { packedRows, rowReader, valueReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { accounts } from "../../accounts/table.ts";
import { MAX_CRASHES } from "../rules.ts";
import { uploads } from "../table.ts";
import { moveUploads } from "./update.ts";

const readUpload = rowReader(uploads);
const UPLOAD = packedRows(uploads);
const ACCOUNT = packedRows(accounts);

/** Makes a planned post pending once its time has come. */
export const reachScheduledTime = preparedWrite(({ id, now }: Params<{ id: number; now: Date }>) =>
  moveUploads(
    { from: ["scheduled"], to: "pending" },
    {},
    sql`u.id = ${id} AND u.due_at <= ${now} AND u.deleted_at IS NULL`,
  ),
);

interface Taking {
  id: number;
  now: Date;
  leaseUntil: Date;
  /** A job that waits since then has waited for too long. */
  expiredAt: Date;
  /** Posts count under the cap from then on. */
  countedSince: Date;
  /** By platform, as JSON. */
  caps: string;
  highestCap: number;
}

/**
 * Takes the job and its place under the account's daily cap in one statement, so that no two workers
 * and no two posts can take the same. A job that is being processed already holds its place.
 */
export const takeJob = preparedWrite((p: Params<Taking>) =>
  moveUploads(
    { from: ["pending", "processing"], to: "processing" },
    {
      fence: sql`fence + 1`,
      leaseUntil: p.leaseUntil,
      countedAt: p.now,
      crashes: sql`CASE WHEN lease_until IS NULL THEN 0 ELSE crashes + 1 END`,
      progressedAt: sql`COALESCE(progressed_at, ${p.now})`,
    },
    sql`u.id = ${p.id} AND u.due_at <= ${p.now} AND u.deleted_at IS NULL
      AND (u.lease_until IS NULL OR u.lease_until <= ${p.now})
      AND (u.status = 'processing' OR (u.due_at > ${p.expiredAt} AND (
        SELECT COUNT(*) FROM (SELECT 1 FROM uploads counted
          WHERE counted.account_id = u.account_id AND counted.counted_at > ${p.countedSince}
          LIMIT ${p.highestCap})
      ) < json_extract(${p.caps}, '$.' || u.platform)))`,
  ),
);

export const jobById = prepared(
  ({ id }: Params<{ id: number }>) =>
    sql`SELECT ${UPLOAD.column} FROM ${uploads} WHERE id = ${id} AND deleted_at IS NULL`,
  UPLOAD.read,
);

export const accountOfJob = prepared(
  ({ id }: Params<{ id: number }>) =>
    sql`SELECT ${ACCOUNT.column} FROM uploads u JOIN ${accounts} ON accounts.id = u.account_id
      WHERE u.id = ${id} AND accounts.deleted_at IS NULL`,
  ACCOUNT.read,
);

/** Finds a job whose last runs broke off each time they took it, and that nobody holds. */
export const brokenJob = prepared(
  ({ id, now }: Params<{ id: number; now: Date }>) =>
    sql`SELECT * FROM ${uploads} WHERE id = ${id} AND status = 'processing'
      AND crashes >= ${MAX_CRASHES} AND lease_until <= ${now} AND deleted_at IS NULL`,
  readUpload,
);

interface Shown {
  id: number;
  accountId: string;
  platformPostId: string;
  since: Date;
}

/** Ids of other posts of the account, taken up since then, that are known as this post of the platform. */
export const otherPostsShownAs = prepared(
  ({ id, accountId, platformPostId, since }: Params<Shown>) =>
    sql`SELECT id FROM uploads WHERE account_id = ${accountId} AND counted_at > ${since}
      AND id <> ${id} AND metadata ->> 'videoId' = ${platformPostId} LIMIT 1`,
  valueReader(uploads.id),
);
