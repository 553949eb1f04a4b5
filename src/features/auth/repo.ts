import { and, desc, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { Scope } from "../../core/scopes.ts";
import type { Db } from "../../db/client.ts";
import { type Query, sqlQuery, toQuery, toWrite } from "../../db/client.ts";
import type { Role } from "../../deps.ts";
import type { TokenRecord } from "./rules.ts";
import { tokens } from "./table.ts";

/** The team a token acts for: the one it is pinned to, else the one asked for, else its user's own. */
const wantedTeam = (requestedTeamId: number | null): SQL => sql`
  COALESCE(t.team_id, ${requestedTeamId}, (SELECT id FROM teams WHERE owner_id = t.user_id))`;

/** The token, and its user's membership of the team it asks for; no row for an unknown token. */
export function tokenQuery(hash: string, requestedTeamId: number | null): Query<TokenRecord[]> {
  return sqlQuery(
    sql`SELECT t.id, t.user_id, t.scopes, t.team_id AS pinned, m.team_id AS team, m.role
      FROM tokens t
      LEFT JOIN members m ON m.team_id = ${wantedTeam(requestedTeamId)}
        AND m.user_id = t.user_id AND m.is_active = 1
      WHERE t.hash = ${hash} AND t.revoked_at IS NULL`,
    (row) => ({
      tokenId: row.id as number,
      userId: row.user_id as number,
      scopes: JSON.parse(row.scopes as string) as Scope[],
      pinnedTeamId: row.pinned as number | null,
      membership: row.team === null ? null : { teamId: row.team as number, role: row.role as Role },
    }),
  );
}

/** The same team as a value inside another statement; NULL, so no row, for whoever is refused. */
export function teamOfToken(hash: string, requestedTeamId: number | null): SQL {
  return sql`(SELECT m.team_id FROM tokens t
    JOIN members m ON m.team_id = ${wantedTeam(requestedTeamId)}
      AND m.user_id = t.user_id AND m.is_active = 1
    WHERE t.hash = ${hash} AND t.revoked_at IS NULL)`;
}

const isLive = (userId: number) => and(eq(tokens.userId, userId), isNull(tokens.revokedAt));

/** Newest first; `teamId` keeps to the tokens pinned to that team. */
export function tokensOfUser(db: Db, userId: number, teamId: number | null) {
  const where = teamId === null ? isLive(userId) : and(isLive(userId), eq(tokens.teamId, teamId));
  return toQuery(db.orm.select().from(tokens).where(where).orderBy(desc(tokens.id)), tokens);
}

export function insertToken(db: Db, token: typeof tokens.$inferInsert) {
  return toQuery(db.orm.insert(tokens).values(token).returning(), tokens);
}

export function revokeToken(db: Db, userId: number, id: number, teamId: number | null, at: Date) {
  const own = and(eq(tokens.id, id), isLive(userId));
  return toWrite(
    db.orm
      .update(tokens)
      .set({ revokedAt: at })
      .where(teamId === null ? own : and(own, eq(tokens.teamId, teamId))),
  );
}

export const activeMembership = (teamId: number, userId: number) =>
  sqlQuery(
    sql`SELECT role FROM members
      WHERE team_id = ${teamId} AND user_id = ${userId} AND is_active = 1`,
    (row) => row.role as Role,
  );
