import { sql } from "drizzle-orm";
import { text } from "drizzle-orm/sqlite-core";
import { prepared, preparedWrite } from "../../../db/client.ts";
import { packedRows, rowReader, valueReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { type AccountRow, accounts } from "../../accounts/table.ts";
import { type MediaRow, packedFiles } from "../../media/repo.ts";
import { moveUploads } from "../../posts/repo/write.ts";
import { type UploadRow, uploads } from "../../posts/table.ts";
import { MAX_CRASHES } from "../rules.ts";

const readUpload = rowReader(uploads);
const UPLOAD = packedRows(uploads);
const ACCOUNT = packedRows(accounts);
const readOthers = rowReader({ files: text("files").notNull(), account: text("account") });

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
  /** Jobs due before this have expired. */
  expiredAt: Date;
  /** Posts from then on count towards the daily cap. */
  countedSince: Date;
  /** JSON: daily cap by platform. */
  caps: string;
  highestCap: number;
}

/** Takes a job and its place under the daily cap in one statement: no two workers take the same. */
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
        SELECT coalesce(SUM(posts), 0) FROM (SELECT counted.posts FROM uploads counted
          WHERE counted.account_id = u.account_id AND counted.counted_at > ${p.countedSince}
          LIMIT ${p.highestCap})
      ) + u.posts <= json_extract(${p.caps}, '$.' || u.platform)))`,
  ),
);

export interface Job {
  upload: UploadRow;
  /** Null when the account is disconnected. */
  account: AccountRow | null;
  media: MediaRow[];
}

export const jobById = prepared(
  ({ id }: Params<{ id: number }>) =>
    sql`SELECT ${UPLOAD.column}, ${packedFiles.value} AS files, (SELECT ${ACCOUNT.value} FROM ${accounts}
        WHERE accounts.id = uploads.account_id AND accounts.deleted_at IS NULL) AS account
      FROM ${uploads} WHERE id = ${id} AND deleted_at IS NULL`,
  (row): Job => {
    const { files, account } = readOthers(row);
    return {
      upload: UPLOAD.read(row),
      account: account === null ? null : ACCOUNT.unpack(JSON.parse(account)),
      media: packedFiles.read(files),
    };
  },
);

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

export const otherPostsShownAs = prepared(
  ({ id, accountId, platformPostId, since }: Params<Shown>) =>
    sql`SELECT id FROM uploads WHERE account_id = ${accountId} AND counted_at > ${since}
      AND id <> ${id} AND metadata ->> 'videoId' = ${platformPostId} LIMIT 1`,
  valueReader(uploads.id),
);
