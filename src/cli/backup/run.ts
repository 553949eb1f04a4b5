import type { Row } from "../d1.ts";
import { Problem } from "../program.ts";
import { sql } from "../sql.ts";
import type { Database } from "./database.ts";

/** `empty`: no table yet. `loading`: rows come in. `switched`: the rows are checked, and what was due is set aside. */
type Phase = "empty" | "loading" | "switched";

export interface Run {
  id: string;
  backup: string;
  phase: Phase;
}

/** One row while a restore is under way. Its table is the mark of a database that is half restored. */
const CREATE_RUN = `CREATE TABLE restoring_run (backup TEXT NOT NULL, holder TEXT NOT NULL,
  phase TEXT NOT NULL, beat_at INTEGER NOT NULL)`;

const SELECT_RUN = "SELECT backup, holder, phase, beat_at FROM restoring_run";

/** A restore that gave no sign for this long was interrupted. */
const SILENCE_MS = 120_000;

/** First in each batch: it breaks the batch when another restore has taken over. */
export const stillOurs = ({ id }: Run): string =>
  sql`UPDATE restoring_run SET beat_at = ${Date.now()}, holder = iif(holder = ${id}, holder, NULL)`;

const existsTable = async (database: Database, name: string): Promise<boolean> =>
  (await database.read(sql`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ${name}`))
    .length > 0;

/** @throws Problem when the instance is in use, or another restore is under way */
export async function startedRun(
  database: Database,
  backup: string,
  { id, startOver }: { id: string; startOver: boolean },
): Promise<Run> {
  if (!(await existsTable(database, "restoring_run"))) {
    await requireUnused(database);
    await begin(database, backup, id);
    return { id, backup, phase: "empty" };
  }
  const [half] = await database.read(SELECT_RUN);
  if (!half) throw new Problem("The table restoring_run is empty. Drop it, then restore again.");
  const seconds = Math.round((Date.now() - Number(half.beat_at)) / 1_000);
  if (seconds * 1_000 < SILENCE_MS) {
    throw new Problem(
      `Another restore is under way here: its last sign was ${seconds} seconds ago. If it was stopped, wait until two minutes have passed.`,
    );
  }
  if (half.phase === "switched" && (half.backup !== backup || startOver)) {
    throw new Problem(
      `The restore of ${half.backup} has all its rows and was stopped at its last step. Finish it first: restore --from that backup.`,
    );
  }
  if (half.backup !== backup && !startOver) {
    throw new Problem(
      `A restore of ${half.backup} was interrupted here. Run it again with that backup to finish it, or add --start-over to drop what it wrote.`,
    );
  }
  const phase: Phase = startOver ? "empty" : (String(half.phase) as Phase);
  await database.write([
    sql`UPDATE restoring_run SET backup = ${backup}, phase = ${phase}, beat_at = ${Date.now()},
      holder = iif(holder = ${half.holder ?? ""}, ${id}, NULL)`,
  ]);
  return { id, backup, phase };
}

async function begin(database: Database, backup: string, id: string): Promise<void> {
  const insert = sql`INSERT INTO restoring_run (backup, holder, phase, beat_at)
    VALUES (${backup}, ${id}, 'empty', ${Date.now()})`;
  try {
    await database.write([CREATE_RUN, insert]);
  } catch (error) {
    if (!(error instanceof Problem) || !/already exists/.test(error.message)) throw error;
    throw new Problem("Another restore has just begun here.");
  }
}

/** What the first deployment writes for the owner. */
const OF_FIRST_OWNER = [
  ...["users", "teams", "members", "tokens", "verifications", "sessions", "chores"],
  ...["backups", "backup_slices", "d1_migrations"],
];

/** @throws Problem unless the database has no people, or only the owner whom the deployment has just made */
async function requireUnused(database: Database): Promise<void> {
  if (!(await existsTable(database, "users"))) return;
  const [users] = await database.read("SELECT count(*) AS n FROM users");
  if (Number(users?.n) === 0) return;
  const names = await database.read(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'",
  );
  const others = names.map(nameOf).filter((name) => !OF_FIRST_OWNER.includes(name));
  const used = Number(users?.n) > 1 || (await anyRow(database, others));
  if (!used) return;
  throw new Problem(
    `This instance is in use: it has ${users?.n} ${users?.n === 1 ? "person" : "people"}. A backup is restored only into an empty one, so nothing was written. Deploy a new one, or name a new STATE_DIR, and restore there.`,
  );
}

const nameOf = ({ name }: Row): string => String(name);

async function anyRow(database: Database, tables: readonly string[]): Promise<boolean> {
  const checks = tables.map((name) => `EXISTS (SELECT 1 FROM "${name}")`);
  const [row] = await database.read(`SELECT ${checks.join(" OR ") || "FALSE"} AS found`);
  return row?.found === 1;
}
