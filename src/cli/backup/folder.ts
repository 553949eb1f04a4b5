import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { type Manifest, readManifest, type Slice } from "../../features/backup/manifest.ts";
import { FORMAT, folderOf, MANIFEST } from "../../features/backup/rules.ts";
import type { BackupStore } from "../../features/backup/store.ts";
import { Problem } from "../program.ts";

/** Keeps the files of one backup right below a folder. */
export function folderStore(folder: string): BackupStore {
  const pathOf = (key: string) => join(folder, key.split("/").slice(2).join("/"));
  return {
    put: async (key, bytes) => {
      const path = pathOf(key);
      await mkdir(dirname(path), { recursive: true });
      // A half-written file never has its final name.
      await writeFile(`${path}.part`, bytes, { mode: 0o600 });
      await rename(`${path}.part`, path);
    },
    get: async (key) => new Uint8Array(await readFile(pathOf(key))) as Uint8Array<ArrayBuffer>,
    has: async (key) =>
      readFile(pathOf(key)).then(
        () => true,
        () => false,
      ),
    listFolders: async () => [],
    listKeys: async (prefix) => (await readdir(folder)).map((name) => prefix + name),
    delete: async (keys) => {
      for (const key of keys) await rm(pathOf(key), { force: true });
    },
  };
}

/** @throws Problem unless the folder is missing or empty */
export async function requireEmptyFolder(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new Problem(`${folder} cannot be used: ${error.message}`);
  });
  if (names.length > 0) throw new Problem(`${folder} is not empty. Name a new folder.`);
}

/** A slice has about a megabyte of text, or one row, which D1 limits to 2 MB before its text is escaped. */
const MAX_SLICE_BYTES = 50_000_000;

const gunzipBeside = promisify(gunzip);

/** Runs beside the program. */
const unzip = (bytes: Uint8Array): Promise<Buffer> =>
  gunzipBeside(bytes, { maxOutputLength: MAX_SLICE_BYTES });

export const readSlice = async (folder: string, { name }: Slice): Promise<string[]> =>
  linesIn(await unzip(await readFile(join(folder, name))));

const linesIn = (bytes: Buffer): string[] =>
  bytes
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "");

/** Slices that are read before they are asked for. */
const AHEAD = 3;

/** Goes through slices in their order, and reads the next ones meanwhile. */
export async function* ahead<T>(
  slices: readonly Slice[],
  read: (slice: Slice) => Promise<T>,
): AsyncGenerator<[Slice, T]> {
  const reading: Promise<T>[] = [];
  for (const [i, slice] of slices.entries()) {
    for (const next of slices.slice(i + reading.length, i + AHEAD + 1)) reading.push(read(next));
    yield [slice, (await reading.shift()) as T];
  }
}

const MAX_PROBLEMS = 10;

/**
 * Checks every file of the backup against the manifest.
 *
 * @throws Problem when something is missing, damaged or of another format
 */
export async function requireWhole(folder: string): Promise<Manifest> {
  const manifest = await requireManifest(folder);
  const problems: string[] = [];
  for (const { name, rows, slices } of manifest.tables) {
    const sum = slices.reduce((all, slice) => all + slice.rows, 0);
    if (sum !== rows) {
      problems.push(`The manifest says that ${name} has ${rows} rows, but its files have ${sum}.`);
    }
  }
  const slices = [...manifest.tables, manifest.objects ?? { slices: [] }].flatMap(
    (one) => one.slices,
  );
  for await (const [, problem] of ahead(slices, (slice) => problemWith(folder, slice))) {
    if (problem) problems.push(problem);
    if (problems.length === MAX_PROBLEMS) break;
  }
  if (problems.length > 0) {
    const intro = `The backup in ${folder} is not whole, so nothing was written.`;
    throw new Problem([intro, ...problems.map((one) => `- ${one}`)].join("\n"));
  }
  return manifest;
}

export async function requireManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), "utf8").catch(() => null);
  if (text === null) {
    throw new Problem(
      `${folder} has no ${MANIFEST}: it is no backup, or one that was never finished.`,
    );
  }
  const manifest = readManifest(text);
  if (!manifest) throw new Problem(`${join(folder, MANIFEST)} is damaged.`);
  if (manifest.format !== FORMAT) {
    throw new Problem(
      `The backup has format ${manifest.format}, and this version reads format ${FORMAT}. Restore it with version ${manifest.version} of the project.`,
    );
  }
  return manifest;
}

async function problemWith(folder: string, slice: Slice): Promise<string | null> {
  const bytes = await readFile(join(folder, slice.name)).catch(() => null);
  if (!bytes) return `${slice.name} is missing.`;
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  if (bytes.length !== slice.bytes || sha256 !== slice.sha256) return `${slice.name} is damaged.`;
  const text = await unzip(bytes).catch(() => null);
  if (text === null) return `${slice.name} is not compressed as a slice of a backup is.`;
  const { length } = linesIn(text);
  if (length !== slice.rows) {
    return `${slice.name} has ${length} rows, and the manifest says ${slice.rows}.`;
  }
  return null;
}

/** Copies the files of a backup; the manifest last. */
export async function copyBackup(
  id: string,
  manifest: Manifest,
  from: BackupStore,
  to: BackupStore,
): Promise<void> {
  const slices = [...manifest.tables, manifest.objects ?? { slices: [] }].flatMap(
    (one) => one.slices,
  );
  for (const name of [...slices.map((slice) => slice.name), MANIFEST]) {
    const key = folderOf(id) + name;
    const bytes = await from.get(key);
    if (!bytes) throw new Problem(`${key} is missing in the storage.`);
    await to.put(key, bytes);
  }
}
