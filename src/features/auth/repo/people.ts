import { type SQL, sql } from "drizzle-orm";
import { integer } from "drizzle-orm/sqlite-core";
import { isBehind } from "../../../core/database-errors.ts";
import { prepared } from "../../../db/client.ts";
import { OWNER_ID } from "../../../db/open-accounts.ts";
import { valueReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import type { Deps } from "../../../deps.ts";

export const isInstanceOwner = prepared(
  ({ user }: Params<{ user: SQL }>) => sql`SELECT ${user} IS ${sql.raw(OWNER_ID)} AS value`,
  valueReader(integer("value", { mode: "boolean" }).notNull()),
);

const hasOwner = prepared(
  () => sql`SELECT ${sql.raw(OWNER_ID)} IS NOT NULL AS value`,
  valueReader(integer("value", { mode: "boolean" }).notNull()),
);

/** @throws the database's error, also when it has no tables yet */
export async function findOwned({ db }: Pick<Deps, "db">): Promise<boolean> {
  const [[isOwned = false]] = await db.run([hasOwner({})]);
  return isOwned;
}

const ownedDatabases = new WeakSet<object>();

/** Asks the database until the instance has an owner, then never again in this isolate. */
export async function isOwned({ db }: Pick<Deps, "db">): Promise<boolean> {
  if (ownedDatabases.has(db)) return true;
  try {
    if (!(await findOwned({ db }))) return false;
  } catch (error) {
    return !isBehind(error);
  }
  ownedDatabases.add(db);
  return true;
}

export const knownId = (id: number): SQL => sql`${id}`;

export interface Starter<T> {
  teamId: T;
  userId: T;
  /** Null for a person who was signed in. */
  tokenId: T | null;
}

/** SQL condition: the person is still an active member, and the token used is still valid. */
export const stillMay = ({ teamId, userId, tokenId }: Starter<SQL | number>): SQL =>
  sql`(EXISTS (SELECT 1 FROM members m
      WHERE m.team_id = ${teamId} AND m.user_id = ${userId} AND m.is_active = 1)
    AND (${tokenId} IS NULL
      OR EXISTS (SELECT 1 FROM tokens k WHERE k.id = ${tokenId} AND k.revoked_at IS NULL)))`;
