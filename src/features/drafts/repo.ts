import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { insertIf } from "../../db/assignments.ts";
import { prepared, type Query, sqlQuery, sqlWrite } from "../../db/client.ts";
import { rowReader, valueReader } from "../../db/rows.ts";
import type { Params } from "../../db/text.ts";
import { type DraftContent, drafts } from "./table.ts";

const { content: _, ...withoutContent } = getTableColumns(drafts);
const author = { updatedByName: text("updated_by_name") };

const readDraft = rowReader({ ...getTableColumns(drafts), ...author });
const readListed = rowReader({
  ...withoutContent,
  ...author,
  text: text("text").notNull(),
  accounts: integer("accounts").notNull(),
  files: integer("files").notNull(),
});

export type StoredDraft = ReturnType<typeof readDraft>;
export type ListedDraft = ReturnType<typeof readListed>;

const AUTHOR = sql`(SELECT coalesce(u.name, u.email) FROM users u WHERE u.id = drafts.updated_by)
  AS updated_by_name`;

export const draftById = prepared(
  ({ team, id }: Params<{ team: number | SQL; id: number }>) =>
    sql`SELECT drafts.*, ${AUTHOR} FROM drafts WHERE id = ${id} AND team_id = ${team}`,
  readDraft,
);

const SHOWN_CHARACTERS = 141;

/** Newest first. */
export const draftsOf = prepared(
  ({ team, limit }: Params<{ team: number | SQL; limit: number }>) =>
    sql`SELECT id, team_id, created_by, version, updated_by, created_at, updated_at, ${AUTHOR},
        substr(coalesce(nullif(content ->> '$.title', ''), content ->> '$.description'), 1,
          ${sql.raw(`${SHOWN_CHARACTERS}`)}) AS text,
        json_array_length(content, '$.accountIds') AS accounts,
        json_array_length(content, '$.media') AS files
      FROM drafts WHERE team_id = ${team} ORDER BY updated_at DESC, id DESC LIMIT ${limit}`,
  readListed,
);

interface Save {
  teamId: number;
  userId: number;
  content: DraftContent;
  now: Date;
}

/** Inserts nothing when the team has `max` drafts. */
export const insertDraft = (
  { teamId, userId, content, now }: Save,
  max: number,
): Query<number[]> => {
  const row = {
    teamId,
    createdBy: userId,
    updatedBy: userId,
    content,
    createdAt: now,
    updatedAt: now,
  };
  const hasRoom = sql`(SELECT COUNT(*) FROM drafts WHERE team_id = ${teamId}) < ${max}`;
  return sqlQuery(sql`${insertIf(drafts, row, hasRoom)} RETURNING id`, valueReader(drafts.id));
};

/** Changes nothing when the draft has another version. */
export const updateDraft = (
  { teamId, userId, content, now }: Save,
  { id, version }: { id: number; version: number },
): Query<number> =>
  sqlWrite(sql`UPDATE drafts SET content = ${JSON.stringify(content)}, version = version + 1,
      updated_by = ${userId}, updated_at = ${now.getTime()}
    WHERE id = ${id} AND team_id = ${teamId} AND version = ${version}`);

/** Ends the batch that sends the draft. Deletes nothing when the draft was saved again. */
export const deleteSentDraft = (
  teamId: number,
  { id, version }: { id: number; version: number },
): Query<number> =>
  sqlWrite(
    sql`DELETE FROM drafts WHERE id = ${id} AND team_id = ${teamId} AND version = ${version}
      AND changes() > 0`,
  );

export const deleteDraft = (teamId: number, id: number): Query<number> =>
  sqlWrite(sql`DELETE FROM drafts WHERE id = ${id} AND team_id = ${teamId}`);

export const forgetDrafts = (before: Date, max: number): Query<number> =>
  sqlWrite(sql`DELETE FROM drafts WHERE id IN (SELECT id FROM drafts INDEXED BY drafts_by_age
    WHERE updated_at < ${before.getTime()} LIMIT ${max})`);
