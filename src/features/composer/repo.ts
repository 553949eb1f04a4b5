import { type SQL, sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { prepared, type Query, sqlQuery } from "../../db/client.ts";
import { pickColumns, rowReader } from "../../db/rows.ts";
import type { Params } from "../../db/text.ts";
import { accounts } from "../accounts/table.ts";
import { media } from "../media/table.ts";
import { uploads } from "../posts/table.ts";

/** The library's files of a draft. */
export const filesOfDraft = prepared(
  ({ team, id }: Params<{ team: SQL; id: number }>) =>
    sql`SELECT media.* FROM draft_files f CROSS JOIN media ON media.team_id = f.team_id AND media.sha256 = f.sha256
      WHERE f.draft_id = ${id} AND f.team_id = ${team}`,
  rowReader(media),
);

export const filesOfUpload = prepared(
  ({ team, id }: Params<{ team: SQL; id: number }>) =>
    sql`SELECT media.* FROM uploads u CROSS JOIN json_each(u.media) item
      CROSS JOIN media ON media.team_id = u.team_id AND media.sha256 = item.value ->> 'sha256'
      WHERE u.id = ${id} AND u.team_id = ${team}`,
  rowReader(media),
);

export const namedPools = prepared(
  ({ team }: Params<{ team: SQL }>) =>
    sql`SELECT id, name FROM pools WHERE team_id = ${team} AND deleted_at IS NULL ORDER BY name, id`,
  rowReader({ id: integer("id").notNull(), name: text("name").notNull() }),
);

const readUpload = rowReader(uploads);
const readName = rowReader({ accountName: text("account_name") });

export const editableUpload = prepared(
  ({ team, id }: Params<{ team: SQL; id: number }>) =>
    sql`SELECT uploads.*, (SELECT a.account_name FROM ${accounts} a WHERE a.id = uploads.account_id) AS account_name
      FROM uploads WHERE uploads.id = ${id} AND uploads.team_id = ${team} AND uploads.deleted_at IS NULL`,
  (row) => ({ ...readUpload(row), ...readName(row) }),
);

export type EditableUpload = ReturnType<ReturnType<typeof editableUpload>["read"]>[number];

const readSent = rowReader({
  ...pickColumns(uploads, [
    "id",
    "platform",
    "status",
    "scheduledFor",
    "failureCode",
    "unpublishedAt",
  ]),
  accountName: text("account_name"),
  mode: text("mode"),
  text: text("text").notNull(),
});

const SHOWN_CHARACTERS = 141;

export const sentPosts = (
  team: SQL,
  ids: readonly number[],
): Query<ReturnType<typeof readSent>[]> =>
  sqlQuery(
    sql`SELECT u.id, u.platform, u.status, u.scheduled_for, u.failure_code, u.unpublished_at,
        substr(coalesce(nullif(u.title, ''), u.description, ''), 1, ${SHOWN_CHARACTERS}) AS text,
        (SELECT a.account_name FROM ${accounts} a WHERE a.id = u.account_id) AS account_name,
        (SELECT a.mode FROM ${accounts} a WHERE a.id = u.account_id) AS mode
      FROM json_each(${JSON.stringify(ids)}) v CROSS JOIN uploads u
        ON u.id = v.value AND u.team_id = ${team} AND u.deleted_at IS NULL ORDER BY v.key`,
    readSent,
  );

const readNamed = rowReader(pickColumns(accounts, ["id", "platform", "accountName"]));

export const accountNames = (
  team: SQL,
  ids: readonly string[],
): Query<ReturnType<typeof readNamed>[]> =>
  sqlQuery(
    sql`SELECT id, platform, account_name FROM accounts WHERE team_id = ${team}
      AND id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
    readNamed,
  );
