import { resolve } from "node:path";
import { readSettings } from "../../config.ts";
import { beginCopy, copyNext, type Notes, type SliceRow } from "../../features/backup/copy.ts";
import { type Manifest, readManifest } from "../../features/backup/manifest.ts";
import { FOLDER, INDEX, manifestKey, pageSize } from "../../features/backup/rules.ts";
import type { BackupStore } from "../../features/backup/store.ts";
import type { Place } from "../d1.ts";
import { makeFolder } from "../folders.ts";
import { Problem } from "../program.ts";
import { sql } from "../sql.ts";
import { readDeployedVars, readLocalVars } from "../team-database.ts";
import { type Database, openDatabase } from "./database.ts";
import { folderStore, requireEmptyFolder } from "./folder.ts";
import { openStore } from "./stores.ts";

/** One command line makes large pages, whatever the plan. */
const SUBREQUESTS = 10_000;

interface BackupOptions {
  to?: string;
}

/** @throws Problem when the folder is not empty, or the database or the storage refuses */
export async function makeBackup(place: Place, options: BackupOptions): Promise<string> {
  return describe(await storeBackup(place, options), options.to ? resolve(options.to) : null);
}

/** @throws Problem when the folder is not empty, or the database or the storage refuses */
export async function storeBackup(place: Place, { to }: BackupOptions): Promise<Manifest> {
  const folder = to === undefined ? null : resolve(to);
  if (folder !== null) {
    await requireEmptyFolder(folder);
    await makeFolder(folder);
  }
  const database = await openDatabase(place);
  try {
    const store = folder === null ? await openStore(place, database) : folderStore(folder);
    const id = await copyAll(place, database, store);
    const manifest = await manifestOf(store, id);
    if (folder === null) await list(database, store, id, manifest);
    return manifest;
  } finally {
    await database.close();
  }
}

async function copyAll(place: Place, database: Database, store: BackupStore): Promise<string> {
  const vars =
    place.kind === "local" ? await readLocalVars() : await readDeployedVars(place.config);
  const page = {
    source: {
      db: database.db,
      media: database.bucket,
      now: () => new Date(),
      settings: () => readSettings(vars),
    },
    store,
    size: pageSize(SUBREQUESTS),
    notes: notesInMemory(),
  };
  let copy = await beginCopy(page);
  let before = "";
  while (copy.step !== "expire") {
    copy = await copyNext(page, copy);
    const progress = `${copy.rows} rows`;
    if (progress !== before) console.error(progress);
    before = progress;
  }
  return copy.id;
}

function notesInMemory(): Notes {
  const slices: SliceRow[] = [];
  return {
    begin: async () => {},
    add: async (_, more) => {
      slices.push(...more);
    },
    slicesOf: async (id) => slices.filter(({ backupId }) => backupId === id),
  };
}

async function manifestOf(store: BackupStore, id: string): Promise<Manifest> {
  const bytes = await store.get(manifestKey(id));
  const manifest = bytes && readManifest(new TextDecoder().decode(bytes));
  if (!manifest) throw new Problem(`The manifest of ${id} cannot be read back.`);
  return manifest;
}

/** Lets the instance and the command line know of the backup. */
async function list(database: Database, store: BackupStore, id: string, manifest: Manifest) {
  const ids = new Set([id, ...(await store.listFolders(FOLDER))]);
  const content = JSON.stringify({ backups: [...ids].sort().reverse() });
  await store.put(INDEX, new TextEncoder().encode(content) as Uint8Array<ArrayBuffer>);
  const { rows, bytes } = sumOf(manifest);
  const [from, to] = [manifest.from, manifest.to].map(Date.parse) as [number, number];
  const [known] = await database.read("SELECT 1 FROM sqlite_master WHERE name = 'backups'");
  if (!known) return;
  await database.write([
    sql`INSERT OR REPLACE INTO backups (id, started_at, finished_at, rows, bytes)
      VALUES (${id}, ${from}, ${to}, ${rows}, ${bytes})`,
  ]);
}

function sumOf({ tables, objects }: Manifest): { rows: number; bytes: number } {
  const slices = [...tables, objects ?? { slices: [] }].flatMap((one) => one.slices);
  return {
    rows: tables.reduce((sum, table) => sum + table.rows, 0),
    bytes: slices.reduce((sum, slice) => sum + slice.bytes, 0),
  };
}

function describe(manifest: Manifest, folder: string | null): string {
  const { rows, bytes } = sumOf(manifest);
  const keys = manifest.encryptionKeys.join(", ") || "none";
  return [
    `Backup ${manifest.id}: ${rows} rows in ${(bytes / 1e6).toFixed(1)} MB, in ${folder ?? "the storage of backups"}.`,
    `It needs these encryption keys, which are not in it: ${keys}. Keep a copy of ENCRYPTION_KEYS and SIGNING_KEY elsewhere.`,
    manifest.objects
      ? `It lists ${manifest.objects.count} files of the bucket, and has none of them.`
      : "It does not list the files of the bucket, which cannot be listed from here.",
  ].join("\n");
}
