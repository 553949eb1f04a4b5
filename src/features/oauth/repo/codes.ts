import { sql } from "drizzle-orm";
import { prepared, preparedWrite } from "../../../db/client.ts";
import { rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { oauthCodes } from "../table.ts";

const readCode = rowReader(oauthCodes);

export type CodeRow = ReturnType<typeof readCode>;

export const codeByHash = prepared(
  ({ hash }: Params<{ hash: string }>) => sql`SELECT * FROM oauth_codes WHERE hash = ${hash}`,
  readCode,
);

type NewCode = Omit<CodeRow, "usedAt" | "accessHash" | "scopes" | "accounts"> & {
  scopes: string;
  accounts: string | null;
};

/** Changes nothing for the request of a device that a person has answered. */
export const insertCode = preparedWrite(
  (code: Params<NewCode>) =>
    sql`INSERT OR IGNORE INTO oauth_codes (hash, key, client_id, client_kind, client_name,
        client_host, redirect_uri, challenge, resource, user_id, team_id, scopes, accounts,
        grant_expires_at, expires_at)
      SELECT ${code.hash}, ${code.key}, ${code.clientId}, ${code.clientKind}, ${code.clientName},
        ${code.clientHost}, ${code.redirectUri}, ${code.challenge}, ${code.resource},
        ${code.userId}, ${code.teamId}, ${code.scopes}, ${code.accounts}, ${code.grantExpiresAt},
        ${code.expiresAt}
      WHERE NOT EXISTS (SELECT 1 FROM oauth_devices d
        WHERE d.hash = ${code.hash} AND d.denied_at IS NOT NULL)`,
);

interface Use {
  hash: string;
  accessHash: string;
  at: Date;
}

/** One call alone uses a code. A person who left the team, and an app that was deleted, have nothing any more. */
export const useCode = preparedWrite(
  ({ hash, accessHash, at }: Params<Use>) =>
    sql`UPDATE oauth_codes SET used_at = ${at}, access_hash = ${accessHash}
      WHERE hash = ${hash} AND used_at IS NULL AND expires_at > ${at}
        AND (client_kind <> 'app'
          OR EXISTS (SELECT 1 FROM oauth_clients c WHERE c.id = oauth_codes.client_id))
        AND EXISTS (SELECT 1 FROM members m JOIN teams t ON t.id = m.team_id
          WHERE m.team_id = oauth_codes.team_id AND m.user_id = oauth_codes.user_id
            AND m.is_active = 1 AND t.deleted_at IS NULL)`,
);

const usedBy = ({ hash, accessHash }: Params<Pick<Use, "hash" | "accessHash">>) =>
  sql`FROM oauth_codes c WHERE c.hash = ${hash} AND c.access_hash = ${accessHash}`;

/** The token row gets the code's hash. A code is never accepted as a token, so the row cannot be used directly. */
export const insertTokenOfCode = preparedWrite(
  ({ hash, accessHash, at }: Params<Use>) =>
    sql`INSERT OR IGNORE INTO tokens (hash, name, hint, user_id, team_id, scopes, created_at)
      SELECT c.hash, c.client_name, c.client_host, c.user_id, c.team_id, c.scopes, ${at}
      ${usedBy({ hash, accessHash })}`,
);

/** SQL for the id of the token row that the code became. */
const grantOfCode = (hash: unknown) => sql`(SELECT id FROM tokens WHERE hash = ${hash})`;

export const insertGrantOfCode = preparedWrite(
  ({ hash, accessHash, idleAt }: Params<Use & { idleAt: Date }>) =>
    sql`INSERT OR IGNORE INTO oauth_grants
        (id, key, client_id, client_kind, client_host, resource, accounts, expires_at, idle_at)
      SELECT ${grantOfCode(hash)}, c.key, c.client_id, c.client_kind, c.client_host, c.resource,
        c.accounts, c.grant_expires_at, ${idleAt} ${usedBy({ hash, accessHash })}`,
);

export const insertAccessOfCode = preparedWrite(
  ({ hash, accessHash, expiresAt }: Params<Use & { expiresAt: Date }>) =>
    sql`INSERT OR IGNORE INTO oauth_access (hash, grant_id, expires_at)
      SELECT ${accessHash}, ${grantOfCode(hash)}, ${expiresAt} ${usedBy({ hash, accessHash })}`,
);

export const insertRefreshOfCode = preparedWrite(
  ({ hash, accessHash, refreshHash, at }: Params<Use & { refreshHash: string }>) =>
    sql`INSERT OR IGNORE INTO oauth_refresh (hash, grant_id, created_at)
      SELECT ${refreshHash}, ${grantOfCode(hash)}, ${at} ${usedBy({ hash, accessHash })}`,
);

/** Notes the use of a program once a day. */
export const touchClient = preparedWrite(
  ({ id, at, before }: Params<{ id: string; at: Date; before: Date }>) =>
    sql`UPDATE oauth_clients SET used_at = ${at}
      WHERE id = ${id} AND coalesce(used_at <= ${before}, 1)`,
);
