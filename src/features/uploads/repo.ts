import { and, desc, eq, gte, isNull, lte, type SQL, sql } from "drizzle-orm";
import type { Platform } from "../../core/platforms.ts";
import { type Db, partReader, type Query, sqlQuery, sqlWrite } from "../../db/client.ts";
import { accounts } from "../accounts/table.ts";
import { groupOf } from "./rules.ts";
import type { UploadFilter } from "./schema.ts";
import { RECORD_PROPERTIES, type UploadWithAccount, uploads } from "./table.ts";

export function insertUpload(db: Db, row: typeof uploads.$inferInsert): Query<number> {
  const { sql, params } = db.orm.insert(uploads).values(row).toSQL();
  return { sql, params, read: (result) => result.meta.last_row_id };
}

/** Says which files the upload that was inserted just before in this batch needs. */
export function insertMediaUses(teamId: number, sha256s: string[]): Query<number> {
  return sqlWrite(sql`INSERT OR IGNORE INTO media_uses (team_id, sha256, upload_id)
    SELECT ${teamId}, value, last_insert_rowid() FROM json_each(${JSON.stringify(sha256s)})`);
}

const readRecord = partReader(uploads, RECORD_PROPERTIES);

const readJoined = (row: Record<string, unknown>): UploadWithAccount => ({
  upload: readRecord(row),
  account:
    row.account_platform === null
      ? null
      : {
          id: row.account_id as string,
          platform: row.account_platform as Platform,
          accountName: row.account_name as string,
          profileImageUrl: row.account_image as string | null,
          tags: row.account_tags as string,
        },
});

const RECORD = sql.join(
  RECORD_PROPERTIES.map((property) => sql`${uploads[property]}`),
  sql`, `,
);

const JOINED = sql`${RECORD}, a.platform AS account_platform, a.account_name,
  a.profile_image_url AS account_image, a.tags AS account_tags
  FROM ${uploads} LEFT JOIN ${accounts} a ON a.id = ${uploads.accountId}`;

export function uploadById(team: SQL, id: number): Query<UploadWithAccount[]> {
  return sqlQuery(
    sql`SELECT ${JOINED} WHERE ${uploads.id} = ${id} AND ${uploads.teamId} = ${team}
      AND ${uploads.deletedAt} IS NULL`,
    readJoined,
  );
}

function matches(team: SQL, filter: UploadFilter): SQL | undefined {
  const { status, platform, search, startDate, endDate } = filter;
  return and(
    eq(uploads.teamId, team),
    isNull(uploads.deletedAt),
    status && eq(uploads.statusGroup, groupOf(status)),
    // Only these two share a group.
    status === "pending" || status === "processing" ? eq(uploads.status, status) : undefined,
    platform && eq(uploads.platform, platform),
    startDate && gte(uploads.sortAt, startDate),
    endDate && lte(uploads.sortAt, endDate),
    search === undefined
      ? undefined
      : sql`instr(lower(coalesce(${uploads.title}, '') || char(10) || coalesce(${uploads.description}, '')), lower(${search})) > 0`,
  );
}

/** A page of posts, most recent first: by planned date, else by date of creation. */
export function uploadPage(team: SQL, filter: UploadFilter): Query<UploadWithAccount[]> {
  const skipped = (filter.page - 1) * filter.limit;
  return sqlQuery(
    sql`SELECT ${JOINED} WHERE ${matches(team, filter)}
      ORDER BY ${desc(uploads.sortAt)}, ${desc(uploads.id)} LIMIT ${filter.limit} OFFSET ${skipped}`,
    readJoined,
  );
}

export function uploadCount(team: SQL, filter: UploadFilter): Query<number[]> {
  return sqlQuery(
    sql`SELECT COUNT(*) AS total FROM ${uploads} WHERE ${matches(team, filter)}`,
    (row) => row.total as number,
  );
}
