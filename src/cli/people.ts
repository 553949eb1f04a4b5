import type { Row } from "./d1.ts";
import { HAS_ACCOUNT } from "./owner.ts";
import { Problem } from "./program.ts";
import { sql } from "./sql.ts";

/** Finds people who have an account by their address, in any case, or by their id. */
export const selectPerson = (given: string | null): string =>
  sql`SELECT id, email FROM users
    WHERE (lower(email) = lower(${given}) OR CAST(id AS TEXT) = ${given}) AND ${HAS_ACCOUNT}`;

/**
 * Returns the only row; undefined without one.
 *
 * @throws Problem naming the ids of people whose addresses differ in case alone, as old databases may hold them
 */
export function chooseOne(rows: Row[], given: string): Row | undefined {
  if (rows.length < 2) return rows[0];
  const sorted = rows.toSorted((a, b) => Number(a.id) - Number(b.id));
  const list = sorted.map(({ id, email }) => `${email} is ${id}`).join(", ");
  throw new Problem(
    `${rows.length} people have the address ${given}: ${list}. Say which: --user ${sorted[0]?.id}`,
  );
}
