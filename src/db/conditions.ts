import { type SQL, sql } from "drizzle-orm";

export const allOf = (conditions: readonly SQL[]): SQL => sql.join([...conditions], sql` AND `);
