import { type SQL, sql } from "drizzle-orm";
import { integer } from "drizzle-orm/sqlite-core";
import { OWN_DOMAIN } from "../../../core/email.ts";
import { prepared } from "../../../db/client.ts";
import { valueReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";

/** SQL for a closed account's address. The account's row stays while other rows name it. */
export const CLOSED_EMAIL = `'deleted-' || users.id || '@${OWN_DOMAIN}'`;

export const IS_OPEN = `users.email <> ${CLOSED_EMAIL}`;

/**
 * SQL for the id of the oldest open account; NULL without one, and the next deployment then creates an owner. Plain
 * text, because the command line uses it too.
 */
export const OWNER_ID = `(SELECT users.id FROM users WHERE ${IS_OPEN} ORDER BY users.id LIMIT 1)`;

export const isInstanceOwner = prepared(
  ({ user }: Params<{ user: SQL }>) => sql`SELECT ${user} IS ${sql.raw(OWNER_ID)} AS value`,
  valueReader(integer("value", { mode: "boolean" }).notNull()),
);

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
