import { type SQL, sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { prepared } from "../../db/client.ts";
import { rowReader } from "../../db/rows.ts";
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
