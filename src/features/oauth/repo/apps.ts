import { type SQL, sql } from "drizzle-orm";
import { integer } from "drizzle-orm/sqlite-core";
import { prepared, preparedWrite, type Query, sqlWrite } from "../../../db/client.ts";
import { pickColumns, rowReader, valueReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import type { FirstTime } from "../../idempotency/once.ts";
import { endingsOf } from "../../tokens/repo/revocation.ts";
import { MAX_APPS } from "../rules.ts";
import { oauthClients } from "../table.ts";
import { isLive } from "./refresh.ts";

const readApp = rowReader({
  ...pickColumns(oauthClients, ["id", "name", "redirectUris", "authMethod", "createdAt", "usedAt"]),
  people: integer("people").notNull(),
});

/** `people` counts those who allow the app now. */
export type App = ReturnType<typeof readApp>;

const apps = (at: unknown): SQL => sql`SELECT c.*, (SELECT count(DISTINCT t.user_id)
    FROM oauth_grants g JOIN tokens t ON t.id = g.id
    WHERE g.client_id = c.id AND ${isLive(at)}) AS people
  FROM oauth_clients c`;

export const appsOf = prepared(
  ({ team, at }: Params<{ team: SQL; at: Date }>) =>
    sql`${apps(at)} WHERE c.team_id = ${team} ORDER BY c.created_at, c.id`,
  readApp,
);

export const appById = prepared(
  ({ team, id, at }: Params<{ team: SQL; id: string; at: Date }>) =>
    sql`${apps(at)} WHERE c.team_id = ${team} AND c.id = ${id}`,
  readApp,
);

export const countApps = prepared(
  ({ team }: Params<{ team: SQL }>) =>
    sql`SELECT count(*) AS value FROM oauth_clients WHERE team_id = ${team}`,
  valueReader(integer("value").notNull()),
);

type NewApp = Pick<
  typeof oauthClients.$inferSelect,
  "id" | "name" | "redirectUris" | "authMethod" | "secretHash" | "createdAt"
> & { teamId: number; createdBy: number };

/** Inserts nothing for a repeated call, and when the team has as many apps as it may have. */
export const insertApp = (app: NewApp, isNew: FirstTime["isNew"]): Query<number> =>
  sqlWrite(sql`INSERT INTO oauth_clients
      (id, kind, team_id, name, redirect_uris, auth_method, secret_hash, created_by, created_at)
    SELECT ${app.id}, 'app', ${app.teamId}, ${app.name}, ${JSON.stringify(app.redirectUris)},
      ${app.authMethod}, ${app.secretHash}, ${app.createdBy}, ${app.createdAt.getTime()}
    WHERE ${isNew}
      AND (SELECT count(*) FROM oauth_clients WHERE team_id = ${app.teamId}) < ${MAX_APPS}`);

interface OwnApp {
  team: number;
  id: string;
}

export const updateApp = preparedWrite(
  ({ team, id, name, redirectUris }: Params<OwnApp & { name: string; redirectUris: string }>) =>
    sql`UPDATE oauth_clients SET name = ${name}, redirect_uris = ${redirectUris}
      WHERE id = ${id} AND team_id = ${team}`,
);

/** Changes nothing for a public app. */
export const replaceSecret = preparedWrite(
  ({ team, id, secretHash }: Params<OwnApp & { secretHash: string }>) =>
    sql`UPDATE oauth_clients SET secret_hash = ${secretHash}
      WHERE id = ${id} AND team_id = ${team} AND secret_hash IS NOT NULL`,
);

/**
 * Deletes an app, writes its line, revokes the grants that people gave to it, and ends what was made with them. The
 * first statement answers 0 for an app that is not the team's, and the others then do nothing.
 *
 * @param id 32 hexadecimal digits behind `kmx_`, because it becomes part of the SQL text
 */
export function deleteApp({ team, id }: OwnApp, at: Date, line: Query<number>): Query<number>[] {
  const atMs = at.getTime();
  const grants = `SELECT g.id FROM oauth_grants g WHERE g.client_id = '${id}'
    AND NOT EXISTS (SELECT 1 FROM oauth_clients WHERE id = '${id}')`;
  const revoked = `SELECT k.id FROM tokens k WHERE k.id IN (${grants}) AND k.revoked_at = ${atMs}`;
  const teams = `SELECT k.team_id FROM tokens k WHERE k.id IN (${grants})`;
  const endings = [
    `UPDATE tokens SET revoked_at = ${atMs} WHERE revoked_at IS NULL AND id IN (${grants})`,
    ...endingsOf({ revoked, teams, atMs }),
  ];
  return [
    sqlWrite(sql`DELETE FROM oauth_clients WHERE id = ${id} AND team_id = ${team}`),
    line,
    ...endings.map((text) => sqlWrite(sql.raw(text))),
  ];
}
