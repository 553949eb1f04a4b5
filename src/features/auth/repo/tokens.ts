import { type SQL, sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { prepared, preparedWrite } from "../../../db/client.ts";
import { flag } from "../../../db/columns.ts";
import { renamed, rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import type { Role } from "../../../deps.ts";
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
  needsApproval: flag("needs_approval"),
  lastUsedAt: tokens.lastUsedAt,
});

/** The flag of the membership `m`. The team of an owner or admin is not read for it. */
const NEEDS_APPROVAL = sql`CASE m.role WHEN 'MEMBER'
  THEN (SELECT requires_approval FROM teams WHERE id = m.team_id) END`;

/** Finds the token, and its user's membership of the team it asks for; no row for an unknown token. */
export const tokenQuery = prepared(
  ({ hash, requestedTeamId }: Params<Wanted>) =>
    sql`SELECT t.id, t.user_id, t.scopes, t.team_id AS pinned, t.last_used_at,
        m.team_id AS team, m.role, ${NEEDS_APPROVAL} AS needs_approval
      FROM tokens t
      LEFT JOIN members m ON m.team_id = ${wantedTeam(requestedTeamId)}
        AND m.user_id = t.user_id AND m.is_active = 1
      WHERE t.hash = ${hash} AND t.revoked_at IS NULL`,
  (row): TokenRecord => {
    const { teamId, role, needsApproval, ...token } = readRecord(row);
    if (teamId === null || role === null) return { ...token, membership: null };
    return { ...token, membership: { teamId, role, needsApproval: needsApproval ?? false } };
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

export const noteTokenUse = preparedWrite(
  ({ id, at }: Params<{ id: number; at: Date }>) =>
    sql`UPDATE tokens SET last_used_at = ${at} WHERE id = ${id}`,
);
