import { execute, type Place, type Row } from "./d1.ts";
import { sql } from "./sql.ts";
import { formatTable } from "./table.ts";

/** Counts the stored logins under each of the ENCRYPTION_KEYS. */
export async function describeKeys(place: Place): Promise<string> {
  const [rows = []] = await execute(place, [
    sql`SELECT substr(credentials, 4, instr(substr(credentials, 4), ${"."}) - 1) AS key_id, count(*) AS logins
      FROM accounts WHERE credentials IS NOT NULL GROUP BY key_id ORDER BY key_id`,
  ]);
  return formatKeys(rows);
}

/** @param rows id of a key, and the number of logins under it */
export function formatKeys(rows: readonly Row[]): string {
  if (rows.length === 0) return "No login is stored.";
  return [
    formatTable(
      ["Key", "Logins"],
      rows.map(({ key_id, logins }) => [String(key_id), String(logins)]),
    ),
    "",
    rows.length > 1
      ? "Logins under a key that is not the first of ENCRYPTION_KEYS are encrypted again at night."
      : `Every login is encrypted with ${rows[0]?.key_id}. The keys after it in ENCRYPTION_KEYS can be removed.`,
  ].join("\n");
}
