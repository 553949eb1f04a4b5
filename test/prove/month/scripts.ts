import { cp, mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { unstable_splitSqlQuery as splitSql } from "wrangler";
import { inProject } from "../../../src/cli/paths.ts";
import { runGroup } from "../../../src/cli/process-group.ts";
import { Problem } from "../../../src/cli/program.ts";
import { withCheckout } from "../../upgrades/checkout.ts";
import { STATES } from "../../upgrades/states.ts";
import type { Service } from "./service.ts";

/** A bundle, and the folder with its configuration and migrations. */
export interface Build {
  script: string;
  root: string;
}

/** These files of today replace those of an earlier checkout, because the harness builds on them. */
const HARNESS = [
  "test/prove/month/worker.ts",
  "test/prove/month/doors.ts",
  "src/cron/leap.ts",
  "src/queue/in-memory.ts",
];

export async function buildToday(folder: string): Promise<Build> {
  const root = inProject(".");
  return { root, script: await bundle(root, join(folder, "today")) };
}

/** The newest earlier state with fewer migrations than today. */
export async function buildEarlier(folder: string): Promise<Build & { name: string }> {
  const today = (await migrationsIn(inProject("."))).length;
  for (const { name, commit } of STATES.toReversed()) {
    const root = join(folder, "earlier");
    const script = await withCheckout(commit, async (checkout) => {
      if ((await migrationsIn(checkout)).length === today) return null;
      for (const file of HARNESS) await cp(inProject(file), join(checkout, file));
      await run(checkout, process.execPath, join("src", "cli", "assets.ts"));
      for (const name of ["migrations", "wrangler.toml", ".assets"]) {
        await cp(join(checkout, name), join(root, name), { recursive: true });
      }
      return bundle(checkout, join(root, "script"));
    });
    if (script) return { name, root, script };
  }
  throw new Problem("No state of test/upgrades/states.ts has fewer migrations than today.");
}

async function bundle(root: string, to: string): Promise<string> {
  await mkdir(to, { recursive: true });
  const wrangler = join("node_modules", "wrangler", "bin", "wrangler.js");
  const entry = join("test", "prove", "month", "worker.ts");
  await run(root, process.execPath, wrangler, "deploy", entry, "--dry-run", "--outdir", to);
  return join(to, "worker.js");
}

async function run(cwd: string, command: string, ...args: string[]): Promise<void> {
  const { code, stdout, stderr } = await runGroup(command, args, { cwd });
  if (code !== 0) throw new Problem(`${args.join(" ")}\n${stdout}${stderr}`);
}

const migrationsIn = async (root: string): Promise<string[]> =>
  (await readdir(join(root, "migrations"))).filter((name) => name.endsWith(".sql")).sort();

/** Notes the migrations that a new database has got, as wrangler does. */
export async function noteMigrations(service: Service, { root }: Build): Promise<void> {
  await service.sql(
    "CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)",
  );
  for (const name of await migrationsIn(root)) await note(service, name);
}

const note = (service: Service, name: string) =>
  service.sql("INSERT INTO d1_migrations (name) VALUES (?)", name);

/** @returns the names of the migrations that the database did not have */
export async function migrate(service: Service, { root }: Build): Promise<string[]> {
  const rows = await service.sql("SELECT name FROM d1_migrations");
  const known = new Set(rows.map(({ name }) => name));
  const names = (await migrationsIn(root)).filter((name) => !known.has(name));
  for (const name of names) {
    const text = await readFile(join(root, "migrations", name), "utf8");
    for (const sql of splitSql(text)) await service.sql(sql);
    await note(service, name);
  }
  return names;
}
