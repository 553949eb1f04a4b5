import { type SQL, sql } from "drizzle-orm";

/** TRUE without conditions. */
export const allOf = (conditions: readonly SQL[]): SQL =>
  conditions.length === 0 ? sql`TRUE` : sql.join([...conditions], sql` AND `);
