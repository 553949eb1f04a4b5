import { and, desc, eq, gte, lte, or, type SQL, sql } from "drizzle-orm";
import { integer } from "drizzle-orm/sqlite-core";
import { spellingsOf } from "../../../core/spellings.ts";
import type { UploadFilter } from "../../../core/upload-filter.ts";
import { groupOf } from "../../../core/upload-status.ts";
import { prepared, type Query, sqlQuery } from "../../../db/client.ts";
import {
  columnsByName,
  pickColumns,
  type RowReader,
  renamed,
  rowReader,
  valueReader,
} from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { accounts } from "../../accounts/table.ts";
import { type MediaRow, mediaOfUpload } from "../../media/repo.ts";
import { reviewPosts } from "../../review/table.ts";
import {
  RECORD_PROPERTIES,
  type ReviewLinkRef,
  type UploadRow,
  type UploadWithAccount,
  uploads,
} from "../table.ts";
import { type PageRow, type PageValues, pageOf, pageValues } from "./page.ts";

const readUpload = rowReader(uploads);

export function ownUpload(team: SQL, id: number): Query<UploadRow[]> {
  return sqlQuery(
    sql`SELECT * FROM uploads WHERE id = ${id} AND team_id = ${team} AND deleted_at IS NULL`,
    readUpload,
  );
}

export const filesOfOwnUpload = (team: SQL, id: number): Query<MediaRow[]> =>
  mediaOfUpload({ uploadId: sql`(SELECT id FROM uploads WHERE id = ${id} AND team_id = ${team})` });

const readRecord = rowReader(pickColumns(uploads, RECORD_PROPERTIES));

const readAccount = rowReader({
  id: uploads.accountId,
  platform: renamed(accounts.platform, "account_platform"),
  accountName: accounts.accountName,
  profileImageUrl: renamed(accounts.profileImageUrl, "account_image"),
  tags: renamed(accounts.tags, "account_tags"),
});

const readReviewLink = (packed: unknown): ReviewLinkRef | null => {
  if (typeof packed !== "string") return null;
  const [id, expiresAt] = packed.split(" ").map(Number);
  return { id: id ?? 0, expiresAt: new Date(expiresAt ?? 0) };
};

const readJoined: RowReader<UploadWithAccount> = (row) => ({
  upload: readRecord(row),
  account: row.account_platform === null ? null : readAccount(row),
  reviewLink: readReviewLink(row.review_link),
});

const RECORD_COLUMNS = RECORD_PROPERTIES.map((property) => uploads[property]);
const RECORD = sql.join(RECORD_COLUMNS, sql`, `);

const ACCOUNT_FIELDS = {
  account_platform: sql`a.platform`,
  account_name: sql`a.account_name`,
  account_image: sql`a.profile_image_url`,
  account_tags: sql`a.tags`,
};

/** All review links live equally long, so the newest ends last. */
const REVIEW_LINK = {
  review_link: sql`(SELECT p.link_id || ' ' || p.expires_at FROM ${reviewPosts} p
    WHERE p.team_id = ${uploads.teamId} AND p.upload_id = ${uploads.id}
    ORDER BY p.link_id DESC LIMIT 1)`,
};

const BESIDE = sql.join(
  Object.entries({ ...ACCOUNT_FIELDS, ...REVIEW_LINK }).map(
    ([name, value]) => sql`${value} AS ${sql.identifier(name)}`,
  ),
  sql`, `,
);

const WITH_ACCOUNT = sql`FROM ${uploads} LEFT JOIN ${accounts} a ON a.id = ${uploads.accountId}`;

const selectUpload = prepared(
  ({ team, id }: Params<{ team: SQL; id: number }>) =>
    sql`SELECT ${RECORD}, ${BESIDE} ${WITH_ACCOUNT} WHERE ${uploads.id} = ${id} AND ${uploads.teamId} = ${team}
      AND ${uploads.deletedAt} IS NULL`,
  readJoined,
);

export const uploadById = (team: SQL, id: number): Query<UploadWithAccount[]> =>
  selectUpload({ team, id });

const isInText = (words: string): SQL =>
  sql`instr(lower(coalesce(${uploads.title}, '') || char(10) || coalesce(${uploads.description}, '')), ${words}) > 0`;

export function uploadsMatching(team: SQL, filter: UploadFilter): SQL {
  const { status, platform, accountId, accounts: some, search, startDate, endDate } = filter;
  const own = sql`${uploads.teamId} = ${team} AND ${uploads.deletedAt} IS NULL`;
  const conditions = and(
    status && eq(uploads.statusGroup, groupOf(status)),
    // Only pending and processing share a status group.
    status === "pending" || status === "processing" ? eq(uploads.status, status) : undefined,
    platform === undefined ? undefined : eq(uploads.platform, platform),
    accountId === undefined ? undefined : eq(uploads.accountId, accountId),
    some && sql`${uploads.accountId} IN (SELECT value FROM json_each(${JSON.stringify(some)}))`,
    startDate && gte(uploads.sortAt, startDate),
    endDate && lte(uploads.sortAt, endDate),
    search === undefined ? undefined : or(...spellingsOf(search).map(isInText)),
  );
  return conditions ? sql`${own} AND ${conditions}` : own;
}

const page = pageOf(
  { ...columnsByName(RECORD_COLUMNS), ...ACCOUNT_FIELDS, ...REVIEW_LINK },
  {
    texts: [uploads.title, uploads.description, uploads.errorMessage, uploads.reviewComment],
    json: [uploads.settings, uploads.media, uploads.metadata],
  },
  readJoined,
);

const selectPage = prepared(
  ({ where, limit, skipped, share }: Params<PageValues>) =>
    sql`SELECT ${page.column(share)} ${WITH_ACCOUNT} WHERE ${where}
      ORDER BY ${desc(uploads.sortAt)}, ${desc(uploads.id)} LIMIT ${limit} OFFSET ${skipped}`,
  page.read,
);

export const uploadPage = (team: SQL, filter: UploadFilter): Query<PageRow<UploadWithAccount>[]> =>
  selectPage(pageValues(uploadsMatching(team, filter), filter.limit, filter.page));

export function uploadsByIds(team: SQL, ids: readonly number[]): Query<UploadWithAccount[]> {
  return sqlQuery(
    sql`SELECT ${RECORD}, ${BESIDE} FROM json_each(${JSON.stringify(ids)}) wanted
      CROSS JOIN ${uploads} ON ${uploads.id} = wanted.value
      LEFT JOIN ${accounts} a ON a.id = ${uploads.accountId}
      WHERE ${uploads.teamId} = ${team} AND ${uploads.deletedAt} IS NULL`,
    readJoined,
  );
}

export function uploadCount(team: SQL, filter: UploadFilter): Query<number[]> {
  return sqlQuery(
    sql`SELECT COUNT(*) AS total FROM ${uploads} WHERE ${uploadsMatching(team, filter)}`,
    valueReader(integer("total").notNull()),
  );
}
