import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { inProject } from "./paths.ts";
import { splitSql } from "./split-sql.ts";

/** Git ignores both: the Worker loads the first only to bring its database up to date. */
const ALL = inProject("src/db/.generated/migrations.ts");
const LATEST = inProject("src/db/.generated/latest.ts");

export interface MigrationFile {
  name: string;
  statements: string[];
}

export async function readMigrations(): Promise<MigrationFile[]> {
  const folder = inProject("migrations");
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  return Promise.all(
    names.map(async (name) => ({
      name,
      statements: splitSql(await readFile(`${folder}/${name}`, "utf8")),
    })),
  );
}

const NOTE = "// Written from the files of migrations/ by src/cli/migrations-module.ts.";

/** Writes modules with the migrations, from which the Worker brings its own database up to date. */
export async function writeMigrationsModule(): Promise<void> {
  const migrations = await readMigrations();
  const type = "readonly { name: string; statements: readonly string[] }[]";
  const all = `export const MIGRATIONS: ${type} = ${JSON.stringify(migrations, null, 2)};`;
  const latest = `export const LATEST_MIGRATION = ${JSON.stringify(migrations.at(-1)?.name)};`;
  await Promise.all([writeIfChanged(ALL, all), writeIfChanged(LATEST, latest)]);
}

async function writeIfChanged(path: string, code: string): Promise<void> {
  const text = `${NOTE}\n${code}\n`;
  if ((await readFile(path, "utf8").catch(() => null)) === text) return;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

if (import.meta.main) await writeMigrationsModule();
