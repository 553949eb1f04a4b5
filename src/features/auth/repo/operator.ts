import { type SQL, sql } from "drizzle-orm";
import { integer } from "drizzle-orm/sqlite-core";
import { prepared } from "../../../db/client.ts";
import { valueReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { OWNER_ID } from "./people.ts";

/** Returns true for the owner of the instance: one row. */
export const isInstanceOwner = prepared(
  ({ user }: Params<{ user: SQL }>) => sql`SELECT ${user} IS ${sql.raw(OWNER_ID)} AS value`,
  valueReader(integer("value", { mode: "boolean" }).notNull()),
);
