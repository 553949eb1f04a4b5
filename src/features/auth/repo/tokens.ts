import { and, desc, eq, isNull, type SQL, sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { orm, prepared, preparedWrite, type Query, sqlQuery } from "../../../db/client.ts";
import { renamed, rowReader, valueReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import type { Role } from "../../../deps.ts";
import { members } from "../../teams/table.ts";
import type { TokenRecord } from "../rules.ts";
import { tokens } from "../table.ts";

/** A token as it was presented, and the team it is to act for. */
interface Wanted {
  hash: string;
  requestedTeamId: number | null;
}

/** The token's team: the one it is pinned to, else the one asked for, else its user's own. */
const wantedTeam = (requestedTeamId: SQL | number | null): SQL => sql`
  COALESCE(t.team_id, ${requestedTeamId}, (SELECT id FROM teams WHERE owner_id = t.user_id))`;

const readRecord = rowReader({
  tokenId: tokens.id,
  userId: tokens.userId,
  scopes: tokens.scopes,
  pinnedTeamId: renamed(tokens.teamId, "pinned"),
  teamId: integer("team"),
  role: text("role").$type<Role>(),
  lastUsedAt: tokens.lastUsedAt,
});

/** Finds the token, and its user's membership of the team it asks for; no row for an unknown token. */
export const tokenQuery = prepared(
  ({ hash, requestedTeamId }: Params<Wanted>) =>
    sql`SELECT t.id, t.user_id, t.scopes, t.team_id AS pinned, t.last_used_at,
        m.team_id AS team, m.role
      FROM tokens t
      LEFT JOIN members m ON m.team_id = ${wantedTeam(requestedTeamId)}
        AND m.user_id = t.user_id AND m.is_active = 1
      WHERE t.hash = ${hash} AND t.revoked_at IS NULL`,
  (row): TokenRecord => {
    const { teamId, role, ...token } = readRecord(row);
    return { ...token, membership: teamId === null || role === null ? null : { teamId, role } };
  },
);

/** The same team as a value inside another statement; NULL, so no row, for whoever is refused. */
export const teamOfToken = ({ hash, requestedTeamId }: Wanted): SQL =>
  sql`(SELECT m.team_id FROM tokens t
    JOIN members m ON m.team_id = ${wantedTeam(requestedTeamId)}
      AND m.user_id = t.user_id AND m.is_active = 1
    WHERE t.hash = ${hash} AND t.revoked_at IS NULL)`;

/** The user of a live token as such a value. */
export const userOfToken = (hash: string): SQL =>
  sql`(SELECT user_id FROM tokens WHERE hash = ${hash} AND revoked_at IS NULL)`;

/** As these, for a caller who is known. */
export const knownId = (id: number): SQL => sql`${id}`;

const readToken = rowReader(tokens);

/** Live tokens of a user: all of them, or those pinned to the team. */
interface OwnTokens {
  userId: number;
  teamId: number | null;
}

const isOwn = ({ userId, teamId }: Params<OwnTokens>) =>
  and(
    eq(tokens.userId, userId),
    isNull(tokens.revokedAt),
    sql`(${teamId} IS NULL OR ${tokens.teamId} = ${teamId})`,
  );

/** Newest first. */
export const tokensOfUser = prepared(
  (own: Params<OwnTokens>) => orm.select().from(tokens).where(isOwn(own)).orderBy(desc(tokens.id)),
  readToken,
);

export const insertToken = (
  token: typeof tokens.$inferInsert,
): Query<(typeof tokens.$inferSelect)[]> =>
  sqlQuery(orm.insert(tokens).values(token).returning(), readToken);

export const revokeToken = preparedWrite((own: Params<OwnTokens & { id: number; at: Date }>) =>
  orm
    .update(tokens)
    .set({ revokedAt: own.at })
    .where(and(eq(tokens.id, own.id), isOwn(own))),
);

export const noteTokenUse = preparedWrite(({ id, at }: Params<{ id: number; at: Date }>) =>
  orm.update(tokens).set({ lastUsedAt: at }).where(eq(tokens.id, id)),
);

export const activeMembership = prepared(
  ({ teamId, userId }: Params<{ teamId: number; userId: number }>) =>
    orm
      .select({ role: members.role })
      .from(members)
      .where(
        and(eq(members.teamId, teamId), eq(members.userId, userId), eq(members.isActive, true)),
      ),
  valueReader(members.role),
);
