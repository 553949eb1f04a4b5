import { type SQL, sql } from "drizzle-orm";
import { text } from "drizzle-orm/sqlite-core";
import { prepared, type Query } from "../../db/client.ts";
import { flag } from "../../db/columns.ts";
import { packedRows, pickColumns, type RowReader, rowReader, valueReader } from "../../db/rows.ts";
import type { Params } from "../../db/text.ts";
import { accounts } from "../accounts/table.ts";
import { events } from "../events/table.ts";
import { teams } from "../teams/table.ts";
import { uploadsMatching } from "../uploads/repo/read.ts";
import type { StatusGroup } from "../uploads/rules.ts";
import type { UploadFilter } from "../uploads/schema.ts";
import { type UploadRow, uploads } from "../uploads/table.ts";

/** IANA zone of the team; null: UTC. */
export const zoneOfTeam = prepared(
  ({ team }: Params<{ team: SQL }>) => sql`SELECT zone FROM teams WHERE id = ${team}`,
  valueReader(teams.zone),
);

/** Characters of a text that a list shows, and one by which it is known to go on. */
const SHOWN_CHARACTERS = 141;

const shownText = (value: SQL): SQL => sql`substr(${value}, 1, ${sql.raw(`${SHOWN_CHARACTERS}`)})`;

/** A post as a list shows it: its long texts are cut in the database. */
const line = packedRows(
  {
    ...pickColumns(uploads, [
      "id",
      "platform",
      "status",
      "scheduledFor",
      "createdAt",
      "uploadedAt",
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

export type UploadLine = ReturnType<typeof line.read>;

const LINE = sql`SELECT ${line.column} FROM ${uploads}
  LEFT JOIN ${accounts} a ON a.id = ${uploads.accountId}`;

const OWN = (team: SQL) => sql`${uploads.teamId} = ${team} AND ${uploads.deletedAt} IS NULL`;

const selectLines = prepared(
  ({ where, limit, skipped }: Params<{ where: SQL; limit: number; skipped: number }>) =>
    sql`${LINE} WHERE ${where}
      ORDER BY ${uploads.sortAt} DESC, ${uploads.id} DESC LIMIT ${limit} OFFSET ${skipped}`,
  line.read,
);

/** A page of posts, most recent first: by planned date, else by date of creation. */
export const uploadLines = (team: SQL, filter: UploadFilter): Query<UploadLine[]> =>
  selectLines({
    where: uploadsMatching(team, filter),
    limit: filter.limit,
    skipped: (filter.page - 1) * filter.limit,
  });

/** Posts of a status, the soonest or oldest first. */
export const soonestUploads = prepared(
  ({ team, group, limit }: Params<{ team: SQL; group: StatusGroup; limit: number }>) =>
    sql`${LINE} WHERE ${OWN(sql`${team}`)} AND ${uploads.statusGroup} = ${group}
      ORDER BY ${uploads.sortAt}, ${uploads.id} LIMIT ${limit}`,
  line.read,
);

/** Failed posts among which those are sought that nobody cancelled. */
const FAILURES_LOOKED_AT = 100;

/** The last posts that failed, most recent first; what was cancelled has not failed in anybody's eyes. */
export const lastFailures = prepared(
  ({ team, limit }: Params<{ team: SQL; limit: number }>) =>
    sql`${LINE} WHERE ${uploads.failureCode} IS NOT 'cancelled' AND ${uploads.id} IN (
        SELECT u.id FROM uploads u
        WHERE u.team_id = ${team} AND u.deleted_at IS NULL AND u.status_group = 'failed'
        ORDER BY u.sort_at DESC, u.id DESC LIMIT ${sql.raw(`${FAILURES_LOOKED_AT}`)})
      ORDER BY ${uploads.sortAt} DESC, ${uploads.id} DESC LIMIT ${limit}`,
  line.read,
);

/** Accounts of the team whose login does not work any more. */
export const accountsInNeed = prepared(
  ({ team, limit }: Params<{ team: SQL; limit: number }>) =>
    sql`SELECT id, platform, account_name, status FROM accounts
      WHERE team_id = ${team} AND deleted_at IS NULL AND status <> 'active'
      ORDER BY platform, platform_account_id LIMIT ${limit}`,
  rowReader(pickColumns(accounts, ["id", "platform", "accountName", "status"])),
);

export const hasAccounts = prepared(
  ({ team }: Params<{ team: SQL }>) =>
    sql`SELECT EXISTS (SELECT 1 FROM accounts WHERE team_id = ${team} AND deleted_at IS NULL) AS found`,
  valueReader(flag("found").notNull()),
);

const readUpload = rowReader(uploads);
const readContext = rowReader({
  accountName: text("account_name"),
  isConnected: flag("is_connected").notNull(),
  isSimulated: flag("is_simulated").notNull(),
  creator: text("creator"),
});

/** A post with all that is known of it; the account's name is null where there is none any more. */
export type WholeUpload = UploadRow & {
  accountName: string | null;
  isConnected: boolean;
  isSimulated: boolean;
  creator: string | null;
};

const readWhole: RowReader<WholeUpload> = (row) => ({ ...readUpload(row), ...readContext(row) });

export const wholeUpload = prepared(
  ({ team, id }: Params<{ team: SQL; id: number }>) =>
    sql`SELECT uploads.*, a.account_name,
        a.id IS NOT NULL AND a.deleted_at IS NULL AS is_connected,
        a.mode IS 'sandbox' AS is_simulated,
        (SELECT coalesce(users.name, users.email) FROM users WHERE users.id = uploads.created_by) AS creator
      FROM uploads LEFT JOIN accounts a ON a.id = uploads.account_id
      WHERE uploads.id = ${id} AND ${OWN(sql`${team}`)}`,
  readWhole,
);

/** Events of the team that are looked at, from either end of a post's life. */
const EVENTS_LOOKED_AT = 1_000;
const MINUTE_MS = 60_000;

/**
 * The events of one post, oldest first. There is no index by post: the team's next events from its creation
 * on are looked at, and the last ones before its end. Of a post that lives long in a busy team, an event in
 * the middle may be missing; its own row has its times.
 */
export const eventsOfUpload = prepared(
  ({ team, id, now }: Params<{ team: SQL; id: number; now: Date }>) => {
    const ended = sql`max(coalesce(uploaded_at, 0), coalesce(failed_at, 0))`;
    const post = sql`(SELECT team_id, created_at, coalesce(nullif(${ended}, 0), ${now}) AS ended_at
      FROM uploads WHERE uploads.id = ${id} AND ${OWN(sql`${team}`)})`;
    const idAt = (at: SQL) => sql`'evt_' || printf('%012x', ${at})`;
    const most = sql.raw(`${EVENTS_LOOKED_AT}`);
    return sql`WITH post AS ${post}
      SELECT id, name, data, created_at FROM (
        SELECT * FROM (SELECT e.id, e.name, e.data, e.created_at FROM post CROSS JOIN events e
          ON e.team_id = post.team_id AND e.id >= ${idAt(sql`post.created_at`)}
          ORDER BY e.id LIMIT ${most})
        UNION
        SELECT * FROM (SELECT e.id, e.name, e.data, e.created_at FROM post CROSS JOIN events e
          ON e.team_id = post.team_id AND e.id >= ${idAt(sql`post.created_at`)}
            AND e.id < ${idAt(sql`post.ended_at + ${sql.raw(`${MINUTE_MS}`)}`)}
          ORDER BY e.id DESC LIMIT ${most}))
      WHERE data ->> 'uploadId' = ${id} ORDER BY id LIMIT 100`;
  },
  rowReader(pickColumns(events, ["name", "data", "createdAt"])),
);

export type UploadEvent = ReturnType<ReturnType<typeof eventsOfUpload>["read"]>[number];
