import { type SQL, sql } from "drizzle-orm";
import { type Query, sqlQuery } from "../../../db/client.ts";
import { pickColumns, rowReader } from "../../../db/rows.ts";
import { uploads } from "../../posts/table.ts";

const readSourced = rowReader({
  ...pickColumns(uploads, ["id", "status", "scheduledFor"]),
  sourceKey: uploads.sourceKey,
});

export type SourcedPost = ReturnType<typeof readSourced>;

/** A post that was cancelled or deleted may be made again. */
const ofSources = (team: SQL, keys: readonly string[]): SQL =>
  sql`FROM uploads WHERE team_id = ${team} AND source_key IS NOT NULL AND deleted_at IS NULL
    AND failure_code IS NOT 'cancelled'
    AND source_key IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`;

export const postsBySource = (team: SQL, keys: readonly string[]): Query<SourcedPost[]> =>
  sqlQuery(sql`SELECT id, status, scheduled_for, source_key ${ofSources(team, keys)}`, readSourced);

/** SQL condition: no post was made from one of the sources. */
export const hasNoSource = (team: SQL, keys: readonly string[]): SQL =>
  sql`NOT EXISTS (SELECT 1 ${ofSources(team, keys)})`;
