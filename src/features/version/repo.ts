import { sql } from "drizzle-orm";
import { text } from "drizzle-orm/sqlite-core";
import { type Query, sqlQuery } from "../../db/client.ts";
import { rowReader } from "../../db/rows.ts";

const readName = rowReader({ name: text("name").notNull() });

/** Names of files, oldest first. Throws for a database that was set up without this table. */
export const appliedMigrations = (): Query<{ name: string }[]> =>
  sqlQuery(sql`SELECT name FROM d1_migrations ORDER BY id`, readName);
