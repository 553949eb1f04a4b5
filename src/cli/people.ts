import type { Row } from "./d1.ts";
import { HAS_ACCOUNT } from "./owner.ts";
import { Problem } from "./program.ts";
import { sql } from "./sql.ts";

export const selectPerson = (input: string | null): string =>
  sql`SELECT id, email FROM users
    WHERE (lower(email) = lower(${input}) OR CAST(id AS TEXT) = ${input}) AND ${HAS_ACCOUNT}`;

/** @throws Problem for two people whose addresses differ only in case */
export function chooseOne(rows: Row[], input: string): Row | undefined {
  if (rows.length < 2) return rows[0];
  const sorted = rows.toSorted((a, b) => Number(a.id) - Number(b.id));
  const list = sorted.map(({ id, email }) => `${email} is ${id}`).join(", ");
  throw new Problem(
    `${rows.length} people have the address ${input}: ${list}. Say which: --user ${sorted[0]?.id}`,
  );
}
