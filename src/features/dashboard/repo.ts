import { type SQL, sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import type { UploadFilter } from "../../core/upload-filter.ts";
import type { StatusGroup } from "../../core/upload-status.ts";
import { prepared, type Query } from "../../db/client.ts";
import { flag } from "../../db/columns.ts";
import { packedRows, pickColumns, rowReader } from "../../db/rows.ts";
import type { Params } from "../../db/text.ts";
import { accounts } from "../accounts/table.ts";
import { events } from "../events/table.ts";
import { uploadsMatching } from "../posts/repo/read.ts";
import { type UploadRow, uploads } from "../posts/table.ts";

/** One more than a list shows, to know that a text is longer. */
export const SHOWN_CHARACTERS = 141;

const shownText = (value: SQL): SQL => sql`substr(${value}, 1, ${sql.raw(`${SHOWN_CHARACTERS}`)})`;

const line = packedRows(
  {
    ...pickColumns(uploads, [
      "id",
      "platform",
      "status",
      "scheduledFor",
      "createdAt",
      "uploadedAt",
      "unpublishedAt",
      "failureCode",
    ]),
    text: text("text").notNull(),
    errorMessage: text("error_message"),
    accountName: text("account_name"),
  },
  {
    text: shownText(sql`coalesce(nullif(${uploads.title}, ''), ${uploads.description}, '')`),
    errorMessage: shownText(sql`${uploads.errorMessage}`),
    accountName: sql`a.account_name`,
  },
);

type PackedLine = ReturnType<typeof line.read>;

export type UploadLine = Pick<
  PackedLine,
  | "id"
  | "platform"
  | "status"
  | "scheduledFor"
  | "createdAt"
  | "uploadedAt"
  | "unpublishedAt"
  | "failureCode"
  | "text"
  | "errorMessage"
  | "accountName"
>;

const LINE = sql`SELECT ${line.column} FROM ${uploads}
  LEFT JOIN ${accounts} a ON a.id = ${uploads.accountId}`;

const OWN = (team: SQL) => sql`${uploads.teamId} = ${team} AND ${uploads.deletedAt} IS NULL`;

const selectLines = prepared(
  ({ where, limit, skipped }: Params<{ where: SQL; limit: number; skipped: number }>) =>
    sql`${LINE} WHERE ${where}
      ORDER BY ${uploads.sortAt} DESC, ${uploads.id} DESC LIMIT ${limit} OFFSET ${skipped}`,
  line.read,
);

/** Most recent first, by planned date, else by creation date. */
export const uploadLines = (team: SQL, filter: UploadFilter): Query<UploadLine[]> =>
  selectLines({
    where: uploadsMatching(team, filter),
    limit: filter.limit,
    skipped: (filter.page - 1) * filter.limit,
  });

export const soonestUploads = prepared(
  ({ team, group, limit }: Params<{ team: SQL; group: StatusGroup; limit: number }>) =>
    sql`${LINE} WHERE ${OWN(sql`${team}`)} AND ${uploads.statusGroup} = ${group}
      ORDER BY ${uploads.sortAt}, ${uploads.id} LIMIT ${limit}`,
  line.read,
);

/** Newest posts of a status that are searched. */
const LOOKED_AT = { failed: 100, draft: 50 };

const newestOf = (team: SQL, group: keyof typeof LOOKED_AT): SQL =>
  sql`(SELECT u.id FROM uploads u
    WHERE u.team_id = ${team} AND u.deleted_at IS NULL AND u.status_group = ${sql.raw(`'${group}'`)}
    ORDER BY u.sort_at DESC, u.id DESC LIMIT ${sql.raw(`${LOOKED_AT[group]}`)})`;

/** Leaves out cancelled posts, which are stored as failed. */
export const lastFailures = prepared(
  ({ team, limit }: Params<{ team: SQL; limit: number }>) =>
    sql`${LINE} WHERE ${uploads.failureCode} IS NOT 'cancelled'
        AND ${uploads.id} IN ${newestOf(sql`${team}`, "failed")}
      ORDER BY ${uploads.sortAt} DESC, ${uploads.id} DESC LIMIT ${limit}`,
  line.read,
);

/** Drafts that were sent back with a comment. */
export const lastSentBack = prepared(
  ({ team, limit }: Params<{ team: SQL; limit: number }>) =>
    sql`${LINE} WHERE ${uploads.reviewComment} IS NOT NULL
        AND ${uploads.id} IN ${newestOf(sql`${team}`, "draft")}
      ORDER BY ${uploads.sortAt} DESC, ${uploads.id} DESC LIMIT ${limit}`,
  line.read,
);

/** Accounts whose login has stopped working, or ends by `endsBy`. */
export const accountsInNeed = prepared(
  ({ team, endsBy, limit }: Params<{ team: SQL; endsBy: Date; limit: number }>) =>
    sql`SELECT id, platform, account_name, status, login_ends_at, data_access_ends_at FROM accounts
      WHERE team_id = ${team} AND deleted_at IS NULL
        AND (status <> 'active' OR login_ends_at <= ${endsBy} OR data_access_ends_at <= ${endsBy})
      ORDER BY platform, platform_account_id LIMIT ${limit}`,
  rowReader(
    pickColumns(accounts, [
      "id",
      "platform",
      "accountName",
      "status",
      "loginEndsAt",
      "dataAccessEndsAt",
    ]),
  ),
);

const readBeginnings = rowReader({
  hasAccount: flag("has_account").notNull(),
  hasPost: flag("has_post").notNull(),
  hasPublished: flag("has_published").notNull(),
  isSimulated: flag("is_simulated").notNull(),
});

export type Beginnings = ReturnType<typeof readBeginnings>;

const ofTeam = (team: SQL) => sql`team_id = ${team} AND deleted_at IS NULL`;

const hasArchive = (team: SQL) => sql`EXISTS (SELECT 1 FROM archive_files WHERE team_id = ${team})`;

/** What the team has done already. `isSimulated`: its first account is one of the sandbox. */
export const beginnings = prepared(
  ({ team }: Params<{ team: SQL }>) =>
    sql`SELECT EXISTS (SELECT 1 FROM accounts WHERE ${ofTeam(team)}) AS has_account,
      EXISTS (SELECT 1 FROM uploads WHERE ${ofTeam(team)}) OR ${hasArchive(team)} AS has_post,
      EXISTS (SELECT 1 FROM uploads WHERE ${ofTeam(team)} AND status_group = 'completed')
        OR ${hasArchive(team)} AS has_published,
      (SELECT mode FROM accounts WHERE ${ofTeam(team)} LIMIT 1) IS NOT 'live' AS is_simulated`,
  readBeginnings,
);

const TROUBLE_LOOKED_AT = 25;

/** Posts that failed since then because of their platform, among the newest failed ones. */
export const platformsInTrouble = prepared(
  ({ team, since }: Params<{ team: SQL; since: Date }>) =>
    sql`SELECT platform, COUNT(*) AS posts FROM (
        SELECT u.platform, u.failed_at, u.failure_code FROM uploads u
        WHERE u.team_id = ${team} AND u.deleted_at IS NULL AND u.status_group = 'failed'
        ORDER BY u.sort_at DESC, u.id DESC LIMIT ${sql.raw(`${TROUBLE_LOOKED_AT}`)})
      WHERE failed_at >= ${since} AND failure_code IN ('platform_unavailable', 'platform_processing_timeout')
      GROUP BY platform ORDER BY platform`,
  rowReader({ platform: uploads.platform, posts: integer("posts").notNull() }),
);

const readUpload = rowReader(uploads);
const readContext = rowReader({
  accountName: text("account_name"),
  isConnected: flag("is_connected").notNull(),
  isSimulated: flag("is_simulated").notNull(),
  creator: text("creator"),
});

export type WholeUpload = UploadRow & ReturnType<typeof readContext>;

export const wholeUpload = prepared(
  ({ team, id }: Params<{ team: SQL; id: number }>) =>
    sql`SELECT uploads.*, a.account_name,
        a.id IS NOT NULL AND a.deleted_at IS NULL AS is_connected,
        a.mode IS 'sandbox' AS is_simulated,
        (SELECT coalesce(users.name, users.email) FROM users WHERE users.id = uploads.created_by) AS creator
      FROM uploads LEFT JOIN accounts a ON a.id = uploads.account_id
      WHERE uploads.id = ${id} AND ${OWN(sql`${team}`)}`,
  (row): WholeUpload => ({ ...readUpload(row), ...readContext(row) }),
);

/** More than a post has, unless it is retried all day. */
const MAX_EVENTS = 100;

/**
 * Oldest first, without the publication, whose time is in the post's row. Without the index hint, SQLite would scan all
 * events of the team.
 */
export const eventsOfUpload = prepared(
  ({ team, id }: Params<{ team: SQL; id: number }>) =>
    sql`SELECT * FROM (
        SELECT id, name, data, created_at FROM events INDEXED BY events_by_upload
        WHERE team_id = ${team} AND data ->> 'uploadId' = ${id} AND name <> 'upload.completed'
        ORDER BY id DESC LIMIT ${sql.raw(`${MAX_EVENTS}`)})
      ORDER BY id`,
  rowReader(pickColumns(events, ["name", "data", "createdAt"])),
);

export type UploadEvent = ReturnType<ReturnType<typeof eventsOfUpload>["read"]>[number];
