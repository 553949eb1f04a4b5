import { type SQL, sql } from "drizzle-orm";
import { prepared } from "../../../db/client.ts";
import { valueReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { users } from "../../auth/table.ts";

/** @param email in lower case */
export const userByEmail = prepared(
  ({ email }: Params<{ email: string }>) => sql`SELECT id FROM users WHERE email = ${email}`,
  valueReader(users.id),
);

export const ownTeam = (userId: number): SQL =>
  sql`(SELECT id FROM teams WHERE owner_id = ${userId} AND deleted_at IS NULL)`;

export const ownsTeam = (userId: number): SQL =>
  sql`EXISTS (SELECT 1 FROM teams WHERE teams.owner_id = ${userId} AND teams.deleted_at IS NULL)`;
