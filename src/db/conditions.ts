import { type SQL, sql } from "drizzle-orm";

/** SQL that is true where all the conditions are. */
export const allOf = (conditions: readonly SQL[]): SQL => sql.join([...conditions], sql` AND `);
