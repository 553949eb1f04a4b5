import { execute, type Place, type Row } from "./d1.ts";
import { sql } from "./sql.ts";
import { formatTable } from "./table.ts";

export async function describeKeys(place: Place): Promise<string> {
  const dot = ".";
  const [rows = []] = await execute(place, [
    sql`SELECT substr(sealed, 4, instr(substr(sealed, 4), ${dot}) - 1) AS key_id,
        sum(is_login) AS logins, sum(NOT is_login) AS secrets
      FROM (SELECT credentials AS sealed, 1 AS is_login FROM accounts WHERE credentials IS NOT NULL
        UNION ALL SELECT secret, 0 FROM webhooks UNION ALL SELECT sealed, 0 FROM notice_targets)
      GROUP BY key_id ORDER BY key_id`,
  ]);
  return formatKeys(rows);
}

/** @param rows key id, number of logins, number of secrets of webhooks, browsers and chats */
export function formatKeys(rows: readonly Row[]): string {
  if (rows.length === 0) return "No login and no secret is stored.";
  return [
    formatTable(
      ["Key", "Logins", "Secrets"],
      rows.map(({ key_id, logins, secrets }) => [key_id, logins, secrets].map(String)),
    ),
    "",
    rows.length > 1
      ? "Logins and secrets under another key than the first of ENCRYPTION_KEYS are encrypted again at night."
      : `Everything is encrypted with ${rows[0]?.key_id}. The keys after it in ENCRYPTION_KEYS can be removed.`,
  ].join("\n");
}
