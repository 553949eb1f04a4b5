import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { spellingsOf } from "../../core/spellings.ts";
import { type Query, sqlQuery, sqlWrite } from "../../db/client.ts";
import { flag, json } from "../../db/columns.ts";
import { allOf } from "../../db/conditions.ts";
import { rowReader, valueReader } from "../../db/rows.ts";
import type { MediaKind } from "../../platforms/connector.ts";
import { accounts } from "../accounts/table.ts";
import { isRehearsed, neededUntil, type Retention } from "../media/repo.ts";
import { media } from "../media/table.ts";
import { poolItems } from "../pools/table.ts";
import { uploads } from "../posts/table.ts";
import { teams } from "../teams/table.ts";

export interface FileFilter {
  search?: string | undefined;
  kind?: MediaKind | undefined;
  kept?: boolean | undefined;
  page: number;
  limit: number;
}

const hasName = (words: string): SQL => sql`instr(lower(m.name), ${words}) > 0`;

const matches = (team: SQL, { search, kind, kept }: FileFilter): SQL =>
  allOf([
    sql`m.team_id = ${team}`,
    ...(kind === undefined ? [] : [sql`m.kind = ${kind}`]),
    ...(kept === undefined ? [] : [sql`(m.kept_at IS NOT NULL) = ${Number(kept)}`]),
    ...(search === undefined
      ? []
      : [sql`(${sql.join(spellingsOf(search).map(hasName), sql` OR `)})`]),
  ]);

const ITS_POSTS = sql`media_uses x CROSS JOIN uploads u
  ON u.id BETWEEN x.upload_id AND x.upload_id + x.posts - 1 AND u.deleted_at IS NULL
  WHERE x.team_id = m.team_id AND x.sha256 = m.sha256`;

const WAITS = sql`EXISTS (SELECT 1 FROM pool_files p WHERE p.team_id = m.team_id AND p.sha256 = m.sha256)
  OR EXISTS (SELECT 1 FROM draft_files d WHERE d.team_id = m.team_id AND d.sha256 = m.sha256)
  OR ${isRehearsed(sql`m`)}`;

const readFile = rowReader({
  ...getTableColumns(media),
  /** Number of posts, and epoch ms until which they need the file. */
  uses: json<[posts: number, until: number | null]>("uses").notNull(),
  isWaiting: flag("is_waiting").notNull(),
});

export type LibraryFile = ReturnType<typeof readFile>;

const files = (chosen: SQL, retention: Retention): Query<LibraryFile[]> =>
  sqlQuery(
    sql`SELECT m.*, ${WAITS} AS is_waiting,
        (SELECT json_array(COUNT(*), MAX(${neededUntil(retention)})) FROM ${ITS_POSTS}) AS uses
      FROM (${chosen}) m ORDER BY m.created_at DESC, m.sha256`,
    readFile,
  );

export const filePage = (
  team: SQL,
  filter: FileFilter,
  retention: Retention,
): Query<LibraryFile[]> =>
  files(
    sql`SELECT * FROM media m WHERE ${matches(team, filter)} ORDER BY created_at DESC, sha256
      LIMIT ${filter.limit} OFFSET ${(filter.page - 1) * filter.limit}`,
    retention,
  );

export const fileById = (
  team: SQL | number,
  sha256: string,
  retention: Retention,
): Query<LibraryFile[]> =>
  files(sql`SELECT * FROM media WHERE team_id = ${team} AND sha256 = ${sha256}`, retention);

const readNumber = valueReader(integer("number").notNull());

export const fileCount = (team: SQL, filter: FileFilter): Query<number[]> =>
  sqlQuery(sql`SELECT COUNT(*) AS number FROM media m WHERE ${matches(team, filter)}`, readNumber);

const keptBytes = (team: SQL | number): SQL =>
  sql`coalesce((SELECT SUM(k.size_bytes) FROM media k
    WHERE k.team_id = ${team} AND k.kept_at IS NOT NULL), 0)`;

/** `plan`: null for the instance's default. */
export const planAndKept = (team: SQL | number) =>
  sqlQuery(
    sql`SELECT coalesce(plan, base_plan) AS plan, ${keptBytes(sql`teams.id`)} AS bytes
      FROM teams WHERE id = ${team}`,
    rowReader({ plan: teams.plan, bytes: integer("bytes").notNull() }),
  );

/** SQL condition: the plan has room for `bytes` more. */
export const hasRoomToKeep = (team: SQL | number, bytes: SQL | number, allowance: number | null) =>
  allowance === null ? sql`TRUE` : sql`${keptBytes(team)} + ${bytes} <= ${allowance}`;

export interface FileChange {
  name?: string | undefined;
  /** False begins the time for which a file without posts stays. */
  keep?: boolean | undefined;
}

/** Changes nothing when the file is to be kept and the plan has no room for it. */
export function changeFile(
  team: SQL | number,
  sha256: string,
  { name, keep }: FileChange,
  { now, stays, allowance }: { now: Date; stays: boolean; allowance: number | null },
  retention: Retention,
): Query<number> {
  const at = now.getTime();
  const until = sql`MAX(coalesce(expires_at, 0), ${at + retention.completedMs})`;
  const set = [
    ...(name === undefined ? [] : [sql`name = ${name}`]),
    ...(keep === true ? [sql`kept_at = coalesce(kept_at, ${at})`] : []),
    ...(keep === false ? [sql`kept_at = NULL`] : []),
    ...(stays || keep === false ? [sql`expires_at = ${until}`] : []),
  ];
  const mayKeep =
    keep === true
      ? sql`(kept_at IS NOT NULL OR ${hasRoomToKeep(team, sql`media.size_bytes`, allowance)})`
      : sql`TRUE`;
  return sqlWrite(sql`UPDATE media SET ${sql.join(set, sql`, `)}
    WHERE team_id = ${team} AND sha256 = ${sha256} AND ${mayKeep}`);
}

const readUse = rowReader({
  uploadId: integer("upload_id").notNull(),
  platform: uploads.platform,
  accountId: uploads.accountId,
  accountName: text("account_name"),
  status: uploads.status,
  scheduledFor: uploads.scheduledFor,
});

export type FileUse = ReturnType<typeof readUse>;

/** Newest first. @param neededAfter only posts that need the file then, in epoch ms */
export const usesOf = (
  team: SQL | number,
  sha256: string,
  {
    limit,
    retention,
    neededAfter = -1,
  }: { limit: number; retention: Retention; neededAfter?: number },
): Query<FileUse[]> =>
  sqlQuery(
    sql`SELECT u.id AS upload_id, u.platform, u.account_id, u.status, u.scheduled_for,
        (SELECT a.account_name FROM ${accounts} a WHERE a.id = u.account_id) AS account_name
      FROM (SELECT * FROM media WHERE team_id = ${team} AND sha256 = ${sha256}) m
        CROSS JOIN ${ITS_POSTS} AND ${neededUntil(retention)} > ${neededAfter}
      ORDER BY u.id DESC LIMIT ${limit}`,
    readUse,
  );

const readItem = rowReader({
  itemId: integer("item_id").notNull(),
  poolId: poolItems.poolId,
  title: poolItems.title,
});

export type FileItem = ReturnType<typeof readItem>;

export const itemsOf = (team: SQL | number, sha256: string, limit: number): Query<FileItem[]> =>
  sqlQuery(
    sql`SELECT i.id AS item_id, i.pool_id, i.title FROM pool_files p CROSS JOIN ${poolItems} i ON i.id = p.item_id
      WHERE p.team_id = ${team} AND p.sha256 = ${sha256} ORDER BY i.id DESC LIMIT ${limit}`,
    readItem,
  );
