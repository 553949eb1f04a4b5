import { env } from "cloudflare:workers";
import type { Config } from "../../../src/config.ts";
import { type Manifest, readManifest } from "../../../src/features/backup/manifest.ts";
import { backUp } from "../../../src/features/backup/nightly.ts";
import type { BackupStore } from "../../../src/features/backup/store.ts";
import { Harness } from "../../support/harness.ts";

/** A service that makes backups, on the free or the paid plan. */
export function backingUp(config: Partial<Config> = {}): Harness {
  const harness = new Harness();
  const backup = { ...harness.deps.config.backup, isOn: true };
  harness.deps.config = { ...harness.deps.config, backup, ...config };
  return harness;
}

/** Runs page by page to the end; answers how many pages it took. */
export async function runToEnd(harness: Harness, cursor: string | null = null): Promise<number> {
  for (let pages = 1; pages < 500; pages++) {
    cursor = await backUp(harness.deps, cursor);
    if (cursor === null) return pages;
  }
  throw new Error("The backup has no end.");
}

const decodeGzip = (bytes: Uint8Array<ArrayBuffer>) =>
  new Response(
    new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")),
  ).arrayBuffer();

export async function readLines(store: BackupStore, key: string): Promise<string[]> {
  const bytes = await store.get(key);
  if (!bytes) throw new Error(`There is no ${key}.`);
  return new TextDecoder()
    .decode(await decodeGzip(bytes))
    .split("\n")
    .slice(0, -1);
}

export async function manifestIn(store: BackupStore, id: string): Promise<Manifest> {
  const bytes = await store.get(`backups/${id}/manifest.json`);
  const manifest = bytes && readManifest(new TextDecoder().decode(bytes));
  if (!manifest) throw new Error(`The backup ${id} has no manifest.`);
  return manifest;
}

export const countOf = async (table: string): Promise<number> =>
  (await env.DB.prepare(`SELECT count(*) AS n FROM "${table}"`).first<number>("n")) ?? 0;

/** Tests apply the migrations themselves; a deployed database knows their names. */
export async function recordMigrations(): Promise<void> {
  await env.DB.exec(
    "CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE)",
  );
  const insert = env.DB.prepare("INSERT OR IGNORE INTO d1_migrations (name) VALUES (?)");
  await env.DB.batch(env.TEST_MIGRATIONS.map(({ name }) => insert.bind(name)));
}
