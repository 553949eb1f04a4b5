import { type SQL, sql } from "drizzle-orm";
import { prepared, preparedWrite, type Query } from "../../db/client.ts";
import { OWNER_ID } from "../../db/open-accounts.ts";
import { valueReader } from "../../db/rows.ts";
import type { Params } from "../../db/text.ts";
import { users } from "../auth/table.ts";
import { firstOwnerStatements, SELECT_OWNER } from "./repo/first-owner.ts";

interface NewOwner {
  email: string;
  teamName: string;
  teamSlug: string;
  /** Epoch ms. */
  at: number;
}

const statement = (place: 0 | 1 | 2) =>
  preparedWrite(
    (owner: Params<NewOwner>) => firstOwnerStatements<SQL, unknown>(sql, sql.raw, owner)[place],
  );

const [insertUser, insertTeam, insertMember] = [statement(0), statement(1), statement(2)];

interface FirstToken {
  hash: string;
  hint: string;
  email: string;
  at: number;
}

/** Inserts the token only with its owner: of two claims at once, the second finds another owner or a token. */
const insertToken = preparedWrite(
  ({ hash, hint, email, at }: Params<FirstToken>) =>
    sql`INSERT INTO tokens (hash, name, hint, user_id, team_id, scopes, created_at)
      SELECT ${hash}, 'First token', ${hint}, owner.id, NULL, '["*"]', ${at}
      FROM (${sql.raw(SELECT_OWNER)}) AS owner
      WHERE owner.email = ${email} AND NOT EXISTS (SELECT 1 FROM tokens WHERE user_id = owner.id)`,
);

const ownerId = prepared(
  () => sql`SELECT id FROM users WHERE id = ${sql.raw(OWNER_ID)}`,
  valueReader(users.id),
);

type Statements = readonly [
  Query<number>,
  Query<number>,
  Query<number>,
  Query<number>,
  Query<number[]>,
];

/** The results: users, teams, members and tokens that were inserted, and the owner's id. */
export const insertOwner = (
  owner: NewOwner,
  { hash, hint }: Pick<FirstToken, "hash" | "hint">,
): Statements => [
  insertUser(owner),
  insertTeam(owner),
  insertMember(owner),
  insertToken({ hash, hint, email: owner.email, at: owner.at }),
  ownerId({}),
];
