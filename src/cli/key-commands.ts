import { configOf } from "../config.ts";
import { execute, type Place, type Row } from "./d1.ts";
import { sql } from "./sql.ts";
import { formatTable } from "./table.ts";
import { readLocalVars } from "./team-database.ts";

/** Ids of ENCRYPTION_KEYS, the current key first. Null for a deployed instance: Cloudflare does not show secrets. */
export async function readKeyIds(place: Place): Promise<string[] | null> {
  if (place.kind === "remote") return null;
  const vars = await readLocalVars();
  if (!vars.ENCRYPTION_KEYS) return [];
  return configOf(vars).encryptionKeys.map(({ id }) => id);
}

export async function describeKeys(place: Place): Promise<string> {
  const dot = ".";
  const [rows = []] = await execute(place, [
    sql`SELECT substr(sealed, 4, instr(substr(sealed, 4), ${dot}) - 1) AS key_id,
        sum(is_login) AS logins, sum(NOT is_login) AS secrets
      FROM (SELECT credentials AS sealed, 1 AS is_login FROM accounts WHERE credentials IS NOT NULL
        UNION ALL SELECT secret, 0 FROM webhooks UNION ALL SELECT sealed, 0 FROM notice_targets)
      GROUP BY key_id ORDER BY key_id`,
  ]);
  return formatKeys(rows, await readKeyIds(place));
}

/**
 * @param rows key id, number of logins, number of secrets of webhooks, browsers and chats
 * @param keyIds the keys of ENCRYPTION_KEYS, or null when they are unknown
 */
export function formatKeys(rows: readonly Row[], keyIds: readonly string[] | null): string {
  if (rows.length === 0) return "No login and no secret is stored.";
  return [
    formatTable(
      ["Key", "Logins", "Secrets"],
      rows.map(({ key_id, logins, secrets }) => [key_id, logins, secrets].map(String)),
    ),
    "",
    ...advise(rows, keyIds),
  ].join("\n");
}

function advise(rows: readonly Row[], keyIds: readonly string[] | null): string[] {
  const stored = rows.map(({ key_id }) => String(key_id));
  const ofOthers =
    "Logins and secrets under another key than the first of ENCRYPTION_KEYS are encrypted again at night.";
  if (keyIds === null) {
    return [
      stored.length > 1
        ? ofOthers
        : `Everything is encrypted with ${stored[0]}. When it is the first of ENCRYPTION_KEYS, the keys after it can be removed.`,
      `The instance must have ${stored.join(" and ")}, in ENCRYPTION_KEYS or made by itself. Cloudflare does not show secrets, so this was not checked.`,
    ];
  }
  const lost = rows.filter(({ key_id }) => !keyIds.includes(String(key_id)));
  if (lost.length > 0) return lost.map(describeLost);
  if (stored.some((id) => id !== keyIds[0])) return [ofOthers];
  const rest = keyIds.length > 1 ? " The keys after it in ENCRYPTION_KEYS can be removed." : "";
  return [`Everything is encrypted with ${stored[0]}.${rest}`];
}

function describeLost({ key_id, logins, secrets }: Row): string {
  const unreadable = [
    ...(Number(logins) > 0 ? [`${logins} ${Number(logins) === 1 ? "login" : "logins"}`] : []),
    ...(Number(secrets) > 0
      ? [
          `${secrets} ${Number(secrets) === 1 ? "secret" : "secrets"} of webhooks, browsers and chats`,
        ]
      : []),
  ];
  return `${key_id} is not in ENCRYPTION_KEYS, so ${unreadable.join(" and ")} cannot be read. Add ${key_id} with its value after the first key. If it is lost, connect the accounts again, and make the webhooks, browsers and chats anew.`;
}
