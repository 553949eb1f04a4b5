import { type SQL, sql } from "drizzle-orm";
import { prepared, type Query, sqlQuery, sqlWrite } from "../../db/client.ts";
import { rowReader } from "../../db/rows.ts";
import type { Params } from "../../db/text.ts";
import type { Block } from "./rules.ts";
import { textBlocks } from "./table.ts";

export type BlockRow = typeof textBlocks.$inferSelect;

const readBlock = rowReader(textBlocks);

export const blocksOfTeam = prepared(
  ({ team }: Params<{ team: SQL }>) =>
    sql`SELECT * FROM text_blocks WHERE team_id = ${team} ORDER BY name`,
  readBlock,
);

/** Answers no row when the team has `max` other blocks. */
export const saveBlock = (
  teamId: number,
  { name, kind, text, mayPublish }: Block,
  { now, max }: { now: Date; max: number },
): Query<BlockRow[]> =>
  sqlQuery(
    sql`INSERT INTO text_blocks (team_id, name, kind, text, may_publish, updated_at)
      SELECT ${teamId}, ${name}, ${kind}, ${text}, ${Number(mayPublish)}, ${now.getTime()}
      WHERE (SELECT COUNT(*) FROM text_blocks WHERE team_id = ${teamId} AND name <> ${name}) < ${max}
      ON CONFLICT (team_id, name) DO UPDATE
        SET kind = excluded.kind, text = excluded.text, may_publish = excluded.may_publish, updated_at = excluded.updated_at
      RETURNING *`,
    readBlock,
  );

export const deleteBlock = (teamId: number, name: string): Query<number> =>
  sqlWrite(sql`DELETE FROM text_blocks WHERE team_id = ${teamId} AND name = ${name}`);
