import { type SQL, sql } from "drizzle-orm";
import { text } from "drizzle-orm/sqlite-core";
import { prepared, preparedWrite } from "../../../db/client.ts";
import { pickColumns, rowReader, valueReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { oauthGrants } from "../table.ts";

const readProgram = rowReader(
  pickColumns(oauthGrants, [
    "id",
    "clientKind",
    "clientHost",
    "resource",
    "accounts",
    "expiresAt",
    "idleAt",
    "wanted",
  ]),
);

export type Program = ReturnType<typeof readProgram>;

/** The programs that a person allowed and did not end, including expired ones. */
export const programsOf = prepared(
  ({ user }: Params<{ user: SQL }>) =>
    sql`SELECT g.* FROM tokens t JOIN oauth_grants g ON g.id = t.id
      WHERE t.user_id = ${user} AND t.revoked_at IS NULL`,
  readProgram,
);

interface Wanted {
  id: number;
  /** JSON list. */
  wanted: string;
}

/** Changes nothing while the person has not answered an earlier question. */
export const wantFirst = preparedWrite(
  ({ id, wanted }: Params<Wanted>) =>
    sql`UPDATE oauth_grants SET wanted = ${wanted} WHERE id = ${id} AND wanted IS NULL`,
);

/** Adds to what is asked for already. Changes nothing when it is there. */
export const wantMore = preparedWrite(
  ({ id, wanted }: Params<Wanted>) =>
    sql`UPDATE oauth_grants SET wanted = (SELECT json_group_array(value) FROM (
        SELECT value FROM json_each(oauth_grants.wanted)
        UNION SELECT value FROM json_each(${wanted})))
      WHERE id = ${id} AND wanted IS NOT NULL AND EXISTS (SELECT 1 FROM json_each(${wanted})
        WHERE value NOT IN (SELECT value FROM json_each(oauth_grants.wanted)))`,
);

export const addressOf = prepared(
  ({ user }: Params<{ user: number }>) => sql`SELECT email FROM users WHERE id = ${user}`,
  valueReader(text("email").notNull()),
);

/** Whom to tell of a grant, and what the program is called. No row for an ended grant. */
export const personOfGrant = prepared(
  ({ id }: Params<{ id: number }>) =>
    sql`SELECT u.email AS email, t.name AS name FROM tokens t JOIN users u ON u.id = t.user_id
      WHERE t.id = ${id} AND t.revoked_at IS NULL`,
  rowReader({ email: text("email").notNull(), name: text("name").notNull() }),
);

export const nameOfTeam = prepared(
  ({ team }: Params<{ team: number }>) => sql`SELECT name FROM teams WHERE id = ${team}`,
  valueReader(text("name").notNull()),
);

interface Extension {
  id: number;
  userId: number;
  wanted: string;
}

/** Adds the scopes that the page showed, if the program still asks for them. */
export const extendToken = preparedWrite(
  ({ id, userId, wanted }: Params<Extension>) =>
    sql`UPDATE tokens SET scopes = (SELECT json_group_array(value) FROM (
        SELECT value FROM json_each(tokens.scopes) UNION SELECT value FROM json_each(${wanted})))
      WHERE id = ${id} AND user_id = ${userId} AND revoked_at IS NULL
        AND EXISTS (SELECT 1 FROM oauth_grants g WHERE g.id = ${id} AND g.wanted = ${wanted})`,
);

export const forgetWanted = preparedWrite(
  ({ id, userId, wanted }: Params<Extension>) =>
    sql`UPDATE oauth_grants SET wanted = NULL WHERE id = ${id} AND wanted = ${wanted}
      AND EXISTS (SELECT 1 FROM tokens t WHERE t.id = ${id} AND t.user_id = ${userId})`,
);
