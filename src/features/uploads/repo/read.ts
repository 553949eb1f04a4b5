import { and, desc, eq, gte, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import type { Platform } from "../../../core/platforms.ts";
import { type Query, sqlQuery } from "../../../db/client.ts";
import { pickColumns, rowReader } from "../../../db/rows.ts";
import { accounts } from "../../accounts/table.ts";
import {
  COMPARED_WHOLE_BYTES,
  type RecentPost,
  SAMPLE_CHARACTERS,
} from "../create/content-rules.ts";
import { type PageRow, pageColumns, readPageRow } from "../page-size.ts";
import { groupOf } from "../rules.ts";
import type { UploadFilter } from "../schema.ts";
import { RECORD_PROPERTIES, type UploadWithAccount, uploads } from "../table.ts";

const readRecord = rowReader(pickColumns(uploads, RECORD_PROPERTIES));

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

const ACCOUNT = sql`a.platform AS account_platform, a.account_name,
  a.profile_image_url AS account_image, a.tags AS account_tags`;

const WITH_ACCOUNT = sql`${ACCOUNT}
  FROM ${uploads} LEFT JOIN ${accounts} a ON a.id = ${uploads.accountId}`;

export function uploadById(team: SQL, id: number): Query<UploadWithAccount[]> {
  return sqlQuery(
    sql`SELECT ${RECORD}, ${WITH_ACCOUNT} WHERE ${uploads.id} = ${id} AND ${uploads.teamId} = ${team}
      AND ${uploads.deletedAt} IS NULL`,
    readJoined,
  );
}

const isInText = (words: string): SQL =>
  sql`instr(lower(coalesce(${uploads.title}, '') || char(10) || coalesce(${uploads.description}, '')), ${words}) > 0`;

/**
 * As which words are looked for. The database takes small and capital letters for the same in ASCII alone:
 * those of other scripts are found as they were typed, all small, all capital, and as words that begin
 * with a capital.
 */
function spellingsOf(search: string): string[] {
  const small = search.toLowerCase();
  const capital = search.toUpperCase();
  const words = small.replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase());
  const first = small.replace(/\p{L}/u, (letter) => letter.toUpperCase());
  const ofAscii = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return [...new Set([search, small, capital, words, first].map(ofAscii))];
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
    search === undefined ? undefined : or(...spellingsOf(search).map(isInText)),
  );
}

/** What can be long in a record. */
const LONG = {
  texts: [uploads.title, uploads.description, uploads.errorMessage, uploads.reviewComment],
  json: [uploads.media, uploads.metadata],
};

/** A page of posts, most recent first: by planned date, else by date of creation. */
export function uploadPage(team: SQL, filter: UploadFilter): Query<PageRow<UploadWithAccount>[]> {
  const { limit } = filter;
  const skipped = (filter.page - 1) * limit;
  const columns = RECORD_PROPERTIES.map((property) => uploads[property]);
  return sqlQuery(
    sql`SELECT ${pageColumns(columns, LONG, limit)}, ${WITH_ACCOUNT}
      WHERE ${matches(team, filter)}
      ORDER BY ${desc(uploads.sortAt)}, ${desc(uploads.id)} LIMIT ${limit} OFFSET ${skipped}`,
    readPageRow(readJoined),
  );
}

/** Those of the team's posts, in no order. */
export function uploadsByIds(team: SQL, ids: readonly number[]): Query<UploadWithAccount[]> {
  return sqlQuery(
    sql`SELECT ${RECORD}, ${ACCOUNT} FROM json_each(${JSON.stringify(ids)}) wanted
      CROSS JOIN ${uploads} ON ${uploads.id} = wanted.value
      LEFT JOIN ${accounts} a ON a.id = ${uploads.accountId}
      WHERE ${uploads.teamId} = ${team} AND ${uploads.deletedAt} IS NULL`,
    readJoined,
  );
}

export function uploadCount(team: SQL, filter: UploadFilter): Query<number[]> {
  return sqlQuery(
    sql`SELECT COUNT(*) AS total FROM ${uploads} WHERE ${matches(team, filter)}`,
    (row) => row.total as number,
  );
}

/** The text as it is compared: `textOf` in the database. */
const TEXT = sql`coalesce(u.title || char(10) || u.description, u.title, u.description, '')`;

/** `sampleOf` in the database. */
const SAMPLE = sql`iif(octet_length(${TEXT}) <= ${COMPARED_WHOLE_BYTES}, ${TEXT},
  substr(${TEXT}, 1, ${SAMPLE_CHARACTERS}) || substr(${TEXT}, -${SAMPLE_CHARACTERS}))`;

/** Posts of an account around a time: what is compared with a new post. */
export interface Neighbourhood {
  accountId: string;
  at: Date;
  windowMs: number;
  /** Before and after the time, of each the nearest. */
  mostEach: number;
}

/** What the account has posted or planned within the window before `at`, and the same after it. */
export function recentPosts(team: SQL, around: Neighbourhood): Query<RecentPost[]>[] {
  const { accountId, at, windowMs, mostEach } = around;
  const time = at.getTime();
  const side = (from: number, to: number, order: SQL) =>
    sqlQuery(
      sql`SELECT u.media, u.sort_at, u.text_digest, octet_length(${TEXT}) AS size_bytes,
          ${SAMPLE} AS sample
        FROM uploads u WHERE u.account_id = iif(${team} IS NULL, NULL, ${accountId})
          AND u.sort_at BETWEEN ${from} AND ${to} AND u.team_id = ${team} AND u.deleted_at IS NULL
          AND u.status_group IN ('scheduled', 'pending', 'completed')
        ORDER BY u.sort_at ${order} LIMIT ${mostEach}`,
      (row): RecentPost => ({
        accountId,
        sample: row.sample as string,
        sizeBytes: row.size_bytes as number,
        digest: JSON.parse((row.text_digest as string | null) ?? "null") as RecentPost["digest"],
        media: JSON.parse(row.media as string) as RecentPost["media"],
        at: new Date(row.sort_at as number),
      }),
    );
  return [side(time - windowMs, time, sql`DESC`), side(time + 1, time + windowMs, sql`ASC`)];
}

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
