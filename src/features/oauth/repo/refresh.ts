import { sql } from "drizzle-orm";
import { integer } from "drizzle-orm/sqlite-core";
import { prepared, preparedWrite } from "../../../db/client.ts";
import { flag } from "../../../db/columns.ts";
import { rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { tokens } from "../../auth/table.ts";
import { oauthAccess, oauthGrants, oauthRefresh } from "../table.ts";

interface Now {
  hash: string;
  at: Date;
}

/** SQL condition on `g` and `t`: neither person nor time has ended the grant. */
export const isLive = (at: unknown) => sql`t.revoked_at IS NULL AND g.idle_at > ${at}
  AND coalesce(g.expires_at > ${at}, 1)
  AND EXISTS (SELECT 1 FROM members m WHERE m.team_id = t.team_id AND m.user_id = t.user_id
    AND m.is_active = 1)`;

const readRefresh = rowReader({
  grantId: oauthRefresh.grantId,
  replacedAt: oauthRefresh.replacedAt,
  clientId: oauthGrants.clientId,
  resource: oauthGrants.resource,
  isLive: flag("is_live").notNull(),
  isNextUsed: flag("is_next_used").notNull(),
});

export const refreshToken = prepared(
  ({ hash, at }: Params<Now>) =>
    sql`SELECT r.grant_id, r.replaced_at, g.client_id, g.resource, ${isLive(at)} AS is_live,
        EXISTS (SELECT 1 FROM oauth_access a WHERE a.hash = r.next_access_hash
          AND a.used_at IS NOT NULL)
        OR EXISTS (SELECT 1 FROM oauth_refresh n WHERE n.hash = r.next_hash
          AND n.replaced_at IS NOT NULL) AS is_next_used
      FROM oauth_refresh r JOIN oauth_grants g ON g.id = r.grant_id JOIN tokens t ON t.id = g.id
      WHERE r.hash = ${hash}`,
  readRefresh,
);

interface Replacement extends Now {
  nextHash: string;
  accessHash: string;
}

export const replaceRefresh = preparedWrite(
  ({ hash, at, nextHash, accessHash }: Params<Replacement>) =>
    sql`UPDATE oauth_refresh SET replaced_at = ${at}, next_hash = ${nextHash},
        next_access_hash = ${accessHash}
      WHERE hash = ${hash} AND replaced_at IS NULL AND EXISTS (SELECT 1 FROM oauth_grants g
        JOIN tokens t ON t.id = g.id WHERE g.id = oauth_refresh.grant_id AND ${isLive(at)})`,
);

const replacedBy = ({ hash, nextHash }: Params<Pick<Replacement, "hash" | "nextHash">>) =>
  sql`FROM oauth_refresh r WHERE r.hash = ${hash} AND r.next_hash = ${nextHash}`;

export const insertNextRefresh = preparedWrite(
  ({ hash, nextHash, at }: Params<Replacement>) =>
    sql`INSERT OR IGNORE INTO oauth_refresh (hash, grant_id, created_at)
      SELECT ${nextHash}, r.grant_id, ${at} ${replacedBy({ hash, nextHash })}`,
);

export const insertNextAccess = preparedWrite(
  ({ hash, nextHash, accessHash, expiresAt }: Params<Replacement & { expiresAt: Date }>) =>
    sql`INSERT OR IGNORE INTO oauth_access (hash, grant_id, expires_at)
      SELECT ${accessHash}, r.grant_id, ${expiresAt} ${replacedBy({ hash, nextHash })}`,
);

export const keepGrant = preparedWrite(
  ({ hash, nextHash, idleAt }: Params<Replacement & { idleAt: Date }>) =>
    sql`UPDATE oauth_grants SET idle_at = max(idle_at, ${idleAt})
      WHERE id = (SELECT r.grant_id ${replacedBy({ hash, nextHash })})`,
);

/** No row for an ended grant. */
export const pairOf = prepared(
  ({ accessHash, at }: Params<{ accessHash: string; at: Date }>) =>
    sql`SELECT a.expires_at, t.scopes, t.id AS grant_id FROM oauth_access a
      JOIN oauth_grants g ON g.id = a.grant_id JOIN tokens t ON t.id = g.id
      WHERE a.hash = ${accessHash} AND ${isLive(at)}`,
  rowReader({
    expiresAt: oauthAccess.expiresAt,
    scopes: tokens.scopes,
    grantId: integer("grant_id").notNull(),
  }),
);
