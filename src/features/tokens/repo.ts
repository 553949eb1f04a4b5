import { type SQL, sql } from "drizzle-orm";
import { prepared, preparedWrite } from "../../db/client.ts";
import { rowReader } from "../../db/rows.ts";
import type { Params } from "../../db/text.ts";
import { tokens } from "../auth/table.ts";

const readToken = rowReader(tokens);

export type TokenRow = ReturnType<typeof readToken>;

/** Live tokens of a user, newest first. */
export const tokensOfUser = prepared(
  ({ user }: Params<{ user: SQL }>) =>
    sql`SELECT * FROM tokens WHERE user_id = ${user} AND revoked_at IS NULL ORDER BY id DESC`,
  readToken,
);

/** `scopes`: JSON. */
type NewToken = Omit<TokenRow, "id" | "lastUsedAt" | "revokedAt" | "scopes"> & { scopes: string };

/** Inserts a token; none that is pinned to a team of which its user is no active member. */
export const insertToken = prepared(
  ({ hash, name, hint, userId, teamId, scopes, createdAt }: Params<NewToken>) =>
    sql`INSERT INTO tokens (hash, name, hint, user_id, team_id, scopes, created_at)
      SELECT ${hash}, ${name}, ${hint}, ${userId}, ${teamId}, ${scopes}, ${createdAt}
      WHERE ${teamId} IS NULL OR EXISTS (SELECT 1 FROM members m
        WHERE m.team_id = ${teamId} AND m.user_id = ${userId} AND m.is_active = 1)
      RETURNING *`,
  readToken,
);

/** A live token of a user; where a team is named, only one that is pinned to it. */
interface OwnToken {
  id: number;
  userId: number;
  teamId: number | null;
}

export const revokeToken = preparedWrite(
  ({ id, userId, teamId, at }: Params<OwnToken & { at: Date }>) =>
    sql`UPDATE tokens SET revoked_at = ${at}
      WHERE id = ${id} AND user_id = ${userId} AND revoked_at IS NULL
        AND (${teamId} IS NULL OR team_id = ${teamId})`,
);
