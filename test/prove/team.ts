import { sql } from "drizzle-orm";
import { sha256Hex } from "../../src/core/signature.ts";
import { sqlWrite } from "../../src/db/client.ts";
import type { Deps } from "../../src/deps.ts";
import { TOKEN } from "./token.ts";

export const TEAM_ID = 1;

const TABLES = [
  "credit_ledger",
  "credit_periods",
  "credit_balances",
  "media_uses",
  "media",
  "uploads",
  "events",
  "accounts",
  "tokens",
  "members",
  "teams",
  "users",
];

/** An empty database but for one team, whose owner holds `TOKEN`. */
export async function createTeam({ db }: Pick<Deps, "db">): Promise<void> {
  const hash = await sha256Hex(TOKEN);
  await db.runAll([
    ...TABLES.map((table) => sqlWrite(sql`DELETE FROM ${sql.identifier(table)}`)),
    sqlWrite(sql`INSERT INTO users (id, email, created_at) VALUES (1, 'prove@example.com', 0)`),
    sqlWrite(sql`INSERT INTO teams (id, name, slug, owner_id, created_at, updated_at)
      VALUES (1, 'Prove', 'prove', 1, 0, 0)`),
    sqlWrite(
      sql`INSERT INTO members (team_id, user_id, role, joined_at) VALUES (1, 1, 'OWNER', 0)`,
    ),
    sqlWrite(sql`INSERT INTO tokens (hash, name, hint, user_id, scopes, created_at)
      VALUES (${hash}, 'prove', 'kmb_…', 1, '["*"]', 0)`),
  ]);
}
