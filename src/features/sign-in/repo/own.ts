import { type SQL, sql } from "drizzle-orm";
import { prepared, preparedWrite } from "../../../db/client.ts";
import { pickColumns, rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { passkeys, tokens, users } from "../../auth/table.ts";
import { oauthGrants } from "../../oauth/table.ts";

interface Own {
  user: number | SQL;
}

const MAX_SHOWN = 100;

export const passkeysOf = prepared(
  ({ user }: Params<Own>) =>
    sql`SELECT id, name, device_type, backed_up, created_at FROM passkeys
      WHERE user_id = ${user} ORDER BY id DESC LIMIT ${MAX_SHOWN}`,
  rowReader(pickColumns(passkeys, ["id", "name", "deviceType", "backedUp", "createdAt"])),
);

export const renamePasskey = preparedWrite(
  ({ user, id, name }: Params<Own & { id: number; name: string }>) =>
    sql`UPDATE passkeys SET name = ${name} WHERE id = ${id} AND user_id = ${user}`,
);

export const removePasskey = preparedWrite(
  ({ user, id }: Params<Own & { id: number }>) =>
    sql`DELETE FROM passkeys WHERE id = ${id} AND user_id = ${user}`,
);

export const renamePerson = preparedWrite(
  ({ user, name }: Params<Own & { name: string | null }>) =>
    sql`UPDATE users SET name = ${name} WHERE id = ${user}`,
);

export const personById = prepared(
  ({ user }: Params<Own>) => sql`SELECT * FROM users WHERE id = ${user}`,
  rowReader(users),
);

const TOKEN = pickColumns(tokens, [
  "id",
  "name",
  "hint",
  "scopes",
  "teamId",
  "createdAt",
  "lastUsedAt",
  "lastUsedFrom",
  "agentUsedAt",
  "revokedAt",
]);

export const tokensOf = prepared(
  ({ user }: Params<Own>) =>
    sql`SELECT id, name, hint, scopes, team_id, created_at, last_used_at, last_used_from,
        agent_used_at, revoked_at FROM tokens
      WHERE user_id = ${user} ORDER BY id DESC LIMIT 1000`,
  rowReader(TOKEN),
);

/** The programs that a person allowed, also those that ended. */
export const programsOf = prepared(
  ({ user }: Params<Own>) =>
    sql`SELECT g.*, t.name, t.team_id, t.scopes, t.created_at, t.last_used_at, t.revoked_at
      FROM tokens t JOIN oauth_grants g ON g.id = t.id
      WHERE t.user_id = ${user} ORDER BY t.id DESC LIMIT 1000`,
  rowReader({
    ...pickColumns(tokens, ["id", "name", "teamId", "scopes", "createdAt", "lastUsedAt"]),
    ...pickColumns(oauthGrants, ["clientId", "clientKind", "clientHost", "resource", "accounts"]),
    ...pickColumns(oauthGrants, ["expiresAt", "idleAt"]),
    revokedAt: tokens.revokedAt,
  }),
);
