import { type SQL, sql } from "drizzle-orm";

/** Holds where each of the conditions does. */
export const allOf = (conditions: readonly SQL[]): SQL => sql.join([...conditions], sql` AND `);
