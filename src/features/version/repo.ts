import { SELECT_MIGRATIONS } from "../../db/lines.ts";
import { plainQuery } from "../../db/plain.ts";

/** Names of files, oldest first. Throws for a database that was set up without this table. */
export const appliedMigrations = () =>
  plainQuery(SELECT_MIGRATIONS, [], ({ name }: { name: string }) => name);
