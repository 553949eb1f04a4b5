import { type SQL, sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { prepared, preparedWrite } from "../../../db/client.ts";
import { flag, instant, json } from "../../../db/columns.ts";
import { renamed, rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import type { Role } from "../../../deps.ts";
import type { TokenRecord } from "../rules.ts";
import { tokens } from "../table.ts";

export interface PastedLookup {
  hash: string;
  requestedTeamId: number | null;
}

/** Of an access token of OAuth, which is good for one resource. */
export interface GrantLookup extends PastedLookup {
  resource: "mcp" | "api";
  now: Date;
}

/** SQL condition on the row `t` of `tokens`. */
const isPasted = (hash: SQL | string): SQL => sql`t.hash = ${hash} AND t.revoked_at IS NULL`;

/**
 * A token is good for one resource, except the command line's own: its bridge uploads by the API and calls the tools of
 * `/mcp` with the same token.
 */
const isGranted = ({ hash, resource, now }: Record<"hash" | "resource" | "now", unknown>): SQL =>
  sql`t.id = (SELECT a.grant_id FROM oauth_access a JOIN oauth_grants g ON g.id = a.grant_id
      WHERE a.hash = ${hash} AND a.expires_at > ${now} AND (g.resource = ${resource} OR g.client_kind = 'cli')
        AND coalesce(g.expires_at > ${now}, 1))
    AND t.revoked_at IS NULL`;

/** SQL for the pinned team, else the requested one, else the user's own. */
const teamToAct = (requestedTeamId: SQL | number | null): SQL => sql`
  COALESCE(t.team_id, ${requestedTeamId}, (SELECT id FROM teams WHERE owner_id = t.user_id))`;

const RECORD = {
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
};

const readPasted = rowReader(RECORD);

const readGranted = rowReader({
  ...RECORD,
  accounts: json<string[]>("accounts"),
  accessUsedAt: instant("access_used_at"),
});

const NEEDS_APPROVAL = sql`CASE m.role WHEN 'MEMBER'
  THEN (SELECT requires_approval FROM teams WHERE id = m.team_id) END`;

const COLUMNS = sql`t.id, t.user_id, t.scopes, t.team_id AS pinned, t.last_used_at, t.agent_used_at,
  t.name, m.team_id AS team, m.role, ${NEEDS_APPROVAL} AS needs_approval`;

const withMembership = (requestedTeamId: SQL | number | null): SQL =>
  sql`FROM tokens t LEFT JOIN members m ON m.team_id = ${teamToAct(requestedTeamId)}
    AND m.user_id = t.user_id AND m.is_active = 1`;

type Row = ReturnType<typeof readPasted>;

function toRecord({ teamId, role, needsApproval, ...token }: Row): Omit<TokenRecord, "grant"> {
  if (teamId === null || role === null) return { ...token, membership: null };
  return { ...token, membership: { teamId, role, needsApproval: needsApproval ?? false } };
}

export const pastedQuery = prepared(
  ({ hash, requestedTeamId }: Params<PastedLookup>) =>
    sql`SELECT ${COLUMNS} ${withMembership(requestedTeamId)} WHERE ${isPasted(hash)}`,
  (row): TokenRecord => ({ ...toRecord(readPasted(row)), grant: null }),
);

export const grantQuery = prepared(
  ({ hash, requestedTeamId, resource, now }: Params<GrantLookup>) =>
    sql`SELECT ${COLUMNS}, o.accounts,
        (SELECT used_at FROM oauth_access WHERE hash = ${hash}) AS access_used_at
      ${withMembership(requestedTeamId)} JOIN oauth_grants o ON o.id = t.id
      WHERE ${isGranted({ hash, resource, now })}`,
  (row): TokenRecord => {
    const { accounts, accessUsedAt, ...record } = readGranted(row);
    return { ...toRecord(record), grant: { accounts, accessUsedAt } };
  },
);

/** SQL for team and user of the caller; NULL for an invalid token or membership. */
const teamAndUser = (requestedTeamId: number | null, isCaller: SQL) => ({
  team: sql`(SELECT m.team_id FROM tokens t
    JOIN members m ON m.team_id = ${teamToAct(requestedTeamId)}
      AND m.user_id = t.user_id AND m.is_active = 1
    WHERE ${isCaller})`,
  user: sql`(SELECT t.user_id FROM tokens t WHERE ${isCaller})`,
});

export const whoPasted = ({ hash, requestedTeamId }: PastedLookup) =>
  teamAndUser(requestedTeamId, isPasted(hash));

export const whoGranted = ({ requestedTeamId, now, ...granted }: GrantLookup) =>
  teamAndUser(requestedTeamId, isGranted({ ...granted, now: now.getTime() }));

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

export const noteAccessUse = preparedWrite(
  ({ hash, at }: Params<{ hash: string; at: Date }>) =>
    sql`UPDATE oauth_access SET used_at = ${at} WHERE hash = ${hash} AND used_at IS NULL`,
);
