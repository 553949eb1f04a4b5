import { DAY, HOUR } from "../core/time.ts";
import { VERSION } from "../core/version.ts";
import { NoStorage } from "./account-api.ts";
import { type Database, openDatabase } from "./backup/database.ts";
import { storeBackup } from "./backup/make.ts";
import { type Place, readMigrationNames } from "./d1.ts";
import { Problem } from "./program.ts";
import { sql } from "./sql.ts";

/** `auto`: where the deployment changes something. */
export type BackupWish = "auto" | "always" | "never";

interface Upgrade {
  place: Place & { kind: "remote" };
  wish: BackupWish;
  /** Null when it is not known. */
  runningVersion: string | null;
}

type Say = (line: string) => void;

/** About a hundred slices, which are copied in a minute or two. */
const QUICK_BYTES = 100_000_000;
/** A larger database is not copied again when the backup of the last night is there. */
const FRESH_MS = DAY + 2 * HOUR;

const commandFor = (id: string): string =>
  `  npm run cli -- restore --remote --from ${id}   (into a new, empty instance)`;

/**
 * Copies the database before an upgrade changes anything, and prints how it comes back. Where no storage is to be
 * reached, it says so.
 *
 * @throws Problem when the copy fails
 */
export async function backUpFirst(upgrade: Upgrade, say: Say): Promise<void> {
  const { place, wish } = upgrade;
  if (wish === "never") {
    say("! No backup was made, because of --without-backup.");
    return;
  }
  try {
    const reason = await findNeedlessness(upgrade);
    if (reason !== null) {
      say(reason);
      return;
    }
    say("Backing the database up …");
    const { id } = await storeBackup(place, {});
    say(`✓ Backup ${id} is stored. To restore it:\n${commandFor(id)}`);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (!(error instanceof NoStorage)) {
      throw new Problem(
        `The backup before the upgrade failed, so nothing was changed.\n${error.message}\nTry again, or go on without a copy: npm run deploy -- --without-backup`,
      );
    }
    say(
      `! No backup was made, because the bucket cannot be written from here: ${error.message}\n  Let your login edit R2 and deploy again, or copy the database to a folder: npm run cli -- backup --remote --to <folder>`,
    );
  }
}

/** A line that says why no new backup is needed; null when one is. */
async function findNeedlessness({ place, wish, runningVersion }: Upgrade): Promise<string | null> {
  const database = await openDatabase(place);
  try {
    const tables = await database.read(
      "SELECT name FROM sqlite_master WHERE name IN ('d1_migrations', 'users', 'backups')",
    );
    const names = new Set(tables.map(({ name }) => name));
    if (!names.has("d1_migrations") || !names.has("users")) {
      return "✓ The database is empty: there is nothing to back up";
    }
    if (wish === "always") return null;
    const applied = new Set(
      (await database.read("SELECT name FROM d1_migrations")).map(({ name }) => name),
    );
    const isUpToDate = (await readMigrationNames()).every((name) => applied.has(name));
    if (isUpToDate && runningVersion === VERSION) {
      return `✓ ${VERSION} runs already, and no migration is new: no backup is needed (--backup makes one)`;
    }
    return names.has("backups") ? findFresh(database) : null;
  } finally {
    await database.close();
  }
}

/** A line about the last backup of a large database, when it is new enough. */
async function findFresh(database: Database): Promise<string | null> {
  const sizeBytes = (await database.account?.databaseBytes()) ?? 0;
  if (sizeBytes <= QUICK_BYTES) return null;
  const [last] = await database.read(
    sql`SELECT id FROM backups WHERE finished_at > ${Date.now() - FRESH_MS} ORDER BY id DESC LIMIT 1`,
  );
  if (!last) return null;
  const megabytes = Math.round(sizeBytes / 1e6);
  return `✓ The database has ${megabytes} MB, so the backup of the last night is used (--backup makes a new one). To restore it:\n${commandFor(String(last.id))}`;
}
