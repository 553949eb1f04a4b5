import { type SQL, sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { type Db, prepared, preparedWrite, sqlWrite } from "../../../db/client.ts";
import { valueReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { activityLineBy, SYSTEM } from "../../activity/repo.ts";
import { revocation } from "../../tokens/repo/revocation.ts";

export const grantIdOfCode = prepared(
  ({ hash }: Params<{ hash: string }>) => sql`SELECT id AS value FROM tokens WHERE hash = ${hash}`,
  valueReader(integer("value").notNull()),
);

/** Of a token of either kind. */
export const grantOfToken = prepared(
  ({ hash, client }: Params<{ hash: string; client: string }>) =>
    sql`SELECT g.id AS value FROM oauth_grants g WHERE g.client_id = ${client} AND g.id IN (
      SELECT grant_id FROM oauth_access WHERE hash = ${hash}
      UNION ALL SELECT grant_id FROM oauth_refresh WHERE hash = ${hash})`,
  valueReader(integer("value").notNull()),
);

const teamOf = (id: number): SQL => sql`(SELECT team_id FROM tokens WHERE id = ${id})`;

/** Ends a grant with everything that was made with it. */
export async function endGrant(db: Db, id: number, at: Date): Promise<void> {
  const [revoke, ...endings] = revocation({ id, atMs: at.getTime() });
  await db.runAll([
    sqlWrite(sql.raw(revoke)),
    activityLineBy({ now: () => at }, teamOf(id), SYSTEM, "token.revoked", id),
    ...endings.map((ending) => sqlWrite(sql.raw(ending))),
  ]);
}

export const storeRequest = preparedWrite(
  ({ hash, query, expiresAt }: Params<{ hash: string; query: string; expiresAt: Date }>) =>
    sql`INSERT INTO oauth_requests (hash, query, expires_at)
      VALUES (${hash}, ${query}, ${expiresAt})`,
);

export const requestByHash = prepared(
  ({ hash, at }: Params<{ hash: string; at: Date }>) =>
    sql`SELECT query AS value FROM oauth_requests WHERE hash = ${hash} AND expires_at > ${at}`,
  valueReader(text("value").notNull()),
);
