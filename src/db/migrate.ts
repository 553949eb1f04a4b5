interface Migration {
  name: string;
  statements: readonly string[];
}

/** What the database is missing after a call, or the reason why a migration was refused. */
export interface Progress {
  remaining: number;
  failure: string | null;
}

/**
 * Queries that one invocation may send to a database on Cloudflare's free plan are 50; each migration is one.
 *
 * @see https://developers.cloudflare.com/d1/platform/limits/
 */
const MIGRATIONS_PER_CALL = 40;

/** The table in which wrangler keeps the names of applied migrations, as wrangler creates it. */
const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS "d1_migrations"(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

/** The table stands while a backup is restored, which applies the migrations of the backup itself. */
const SELECT_RESTORE = "SELECT name FROM sqlite_master WHERE name = 'restoring_run'";
const RESTORING = "A backup is being restored.";

/**
 * Applies the first migrations that are missing, each with its name in one transaction. Of two programs that apply the
 * same one, the second fails at the name and changes nothing.
 */
export async function applyMigrations(
  database: D1Database,
  migrations: readonly Migration[],
): Promise<Progress> {
  const [restores] = await database.batch<{ name: string }>([database.prepare(SELECT_RESTORE)]);
  if (restores?.results.length) return { remaining: migrations.length, failure: RESTORING };
  const [, listed] = await database.batch<{ name: string }>([
    database.prepare(CREATE_TABLE),
    database.prepare(`SELECT name FROM "d1_migrations"`),
  ]);
  const applied = new Set(listed?.results.map(({ name }) => name));
  const missing = migrations.filter(({ name }) => !applied.has(name));
  const now = missing.slice(0, MIGRATIONS_PER_CALL);
  for (const { name, statements } of now) {
    try {
      await database.batch([
        database.prepare(`INSERT INTO "d1_migrations" (name) VALUES (?)`).bind(name),
        ...statements.map((statement) => database.prepare(statement)),
      ]);
    } catch (error) {
      return { remaining: missing.length, failure: `${name}: ${String(error)}` };
    }
  }
  return { remaining: missing.length - now.length, failure: null };
}
