import { type SQL, sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { prepared, preparedWrite } from "../../../db/client.ts";
import { flag } from "../../../db/columns.ts";
import { renamed, rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import type { Role } from "../../../deps.ts";
import type { TokenRecord } from "../rules.ts";
import { tokens } from "../table.ts";

interface TokenLookup {
  hash: string;
  requestedTeamId: number | null;
}

/** SQL for the pinned team, else the requested one, else the user's own. */
const teamToAct = (requestedTeamId: SQL | number | null): SQL => sql`
  COALESCE(t.team_id, ${requestedTeamId}, (SELECT id FROM teams WHERE owner_id = t.user_id))`;

const readRecord = rowReader({
  tokenId: tokens.id,
  name: tokens.name,
  userId: tokens.userId,
  scopes: tokens.scopes,
  pinnedTeamId: renamed(tokens.teamId, "pinned"),
  teamId: integer("team"),
  role: text("role").$type<Role>(),
  needsApproval: flag("needs_approval"),
  lastUsedAt: tokens.lastUsedAt,
  agentUsedAt: tokens.agentUsedAt,
});

const NEEDS_APPROVAL = sql`CASE m.role WHEN 'MEMBER'
  THEN (SELECT requires_approval FROM teams WHERE id = m.team_id) END`;

export const tokenQuery = prepared(
  ({ hash, requestedTeamId }: Params<TokenLookup>) =>
    sql`SELECT t.id, t.user_id, t.scopes, t.team_id AS pinned, t.last_used_at, t.agent_used_at, t.name,
        m.team_id AS team, m.role, ${NEEDS_APPROVAL} AS needs_approval
      FROM tokens t
      LEFT JOIN members m ON m.team_id = ${teamToAct(requestedTeamId)}
        AND m.user_id = t.user_id AND m.is_active = 1
      WHERE t.hash = ${hash} AND t.revoked_at IS NULL`,
  (row): TokenRecord => {
    const { teamId, role, needsApproval, ...token } = readRecord(row);
    if (teamId === null || role === null) return { ...token, membership: null };
    return { ...token, membership: { teamId, role, needsApproval: needsApproval ?? false } };
  },
);

/** NULL for an invalid token or membership. */
export const teamOfToken = ({ hash, requestedTeamId }: TokenLookup): SQL =>
  sql`(SELECT m.team_id FROM tokens t
    JOIN members m ON m.team_id = ${teamToAct(requestedTeamId)}
      AND m.user_id = t.user_id AND m.is_active = 1
    WHERE t.hash = ${hash} AND t.revoked_at IS NULL)`;

/** NULL for an invalid token. */
export const userOfToken = (hash: string): SQL =>
  sql`(SELECT user_id FROM tokens WHERE hash = ${hash} AND revoked_at IS NULL)`;

interface TokenUse {
  id: number;
  at: Date;
  /** A country; null where it is unknown. */
  from: string | null;
  /** Null unless an agent calls. */
  agentAt: Date | null;
}

export const noteTokenUse = preparedWrite(
  ({ id, at, from, agentAt }: Params<TokenUse>) =>
    sql`UPDATE tokens SET last_used_at = ${at}, last_used_from = ${from},
      agent_used_at = coalesce(${agentAt}, agent_used_at) WHERE id = ${id}`,
);
