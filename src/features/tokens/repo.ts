import { type SQL, sql } from "drizzle-orm";
import { integer } from "drizzle-orm/sqlite-core";
import { prepared, type Query, sqlQuery, sqlWrite } from "../../db/client.ts";
import { rowReader, valueReader } from "../../db/rows.ts";
import type { Params } from "../../db/text.ts";
import { tokens } from "../auth/table.ts";
import type { FirstTime } from "../idempotency/once.ts";
import { revocation } from "./repo/revocation.ts";

const readToken = rowReader(tokens);

export type TokenRow = ReturnType<typeof readToken>;

export const tokensOfUser = prepared(
  ({ user }: Params<{ user: SQL }>) =>
    sql`SELECT * FROM tokens WHERE user_id = ${user} AND revoked_at IS NULL ORDER BY id DESC`,
  readToken,
);

type NewToken = Omit<
  TokenRow,
  "id" | "lastUsedAt" | "lastUsedFrom" | "agentUsedAt" | "revokedAt" | "scopes"
> & { scopes: string };

/** SQL condition: the call's token was not revoked meanwhile. Holds for a call without a token. */
export const isUnrevoked = (tokenId: unknown): SQL =>
  sql`(${tokenId} IS NULL OR EXISTS (SELECT 1 FROM tokens k WHERE k.id = ${tokenId} AND k.revoked_at IS NULL))`;

/** Does nothing for a repeated call. No token is pinned to a team without the person's active membership. */
export const insertToken = (
  { hash, name, hint, userId, teamId, scopes, createdAt, madeBy }: NewToken,
  isNew: FirstTime["isNew"],
): Query<TokenRow[]> =>
  sqlQuery(
    sql`INSERT INTO tokens (hash, name, hint, user_id, team_id, scopes, created_at, made_by)
      SELECT ${hash}, ${name}, ${hint}, ${userId}, ${teamId}, ${scopes}, ${createdAt.getTime()}, ${madeBy}
      WHERE ${isNew} AND ${isUnrevoked(madeBy)} AND (${teamId} IS NULL OR EXISTS (SELECT 1 FROM members m
        WHERE m.team_id = ${teamId} AND m.user_id = ${userId} AND m.is_active = 1))
      RETURNING *`,
    readToken,
  );

/** With a `teamId`, only a token pinned to that team matches. */
interface OwnToken {
  id: number;
  userId: number;
  teamId: number | null;
}

export const teamOfToken = (id: number, fallback: number): SQL =>
  sql`coalesce((SELECT team_id FROM tokens WHERE id = ${id}), ${fallback})`;

export function revokeToken({ id, userId, teamId }: OwnToken, at: Date, line: Query<number>) {
  const isOwn = `user_id = ${userId} AND (${teamId ?? "NULL"} IS NULL OR team_id = ${teamId ?? "NULL"})`;
  const [revoke, ...endings] = revocation({ id, atMs: at.getTime(), condition: isOwn });
  return [
    sqlQuery(sql.raw(revoke), valueReader(integer("id").notNull())),
    line,
    ...endings.map((text) => sqlWrite(sql.raw(text))),
  ] as const;
}
