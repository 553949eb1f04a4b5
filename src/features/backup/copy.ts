import { sha256Hex } from "../../core/signature.ts";
import { VERSION } from "../../core/version.ts";
import type { Deps } from "../../deps.ts";
import { encodeGzip, utf8Bytes } from "./gzip.ts";
import {
  LACKS,
  type Manifest,
  type Slice,
  type TableCopy,
  type TableShape,
  tablesOf,
} from "./manifest.ts";
import * as repo from "./repo/backups.ts";
import {
  backupId,
  FOLDER,
  FORMAT,
  folderOf,
  manifestKey,
  OBJECTS,
  type PageSize,
  sliceName,
  startOf,
} from "./rules.ts";
import type { BackupStore } from "./store.ts";
import type { SliceRow } from "./table.ts";

export type { SliceRow };

/** Reads of the database by one page, some of which find an empty table. */
const MAX_READS = 14;
/** Rows of the first read of a table, whose size is not known yet. */
const FIRST_ROWS = 20;
/** Keys that the bucket lists at once. */
const LISTED = 1_000;

type Step = "tables" | "objects" | "manifest" | "expire";

/** Where the backup goes on, stored as JSON. */
export interface Place {
  id: string;
  step: Step;
  /** The last migration. After another one, the backup begins anew. */
  schema: string;
  /** The table or object that comes next, and the last row or key that is copied. */
  table: string | null;
  after: string | null;
  /** Rows of the next read. */
  max: number;
  slices: number;
  rows: number;
  bytes: number;
}

/** The database and the bucket that are copied: the Worker's own, or the ones that the command line opened. */
export interface Source extends Pick<Deps, "db" | "now" | "settings"> {
  media: Pick<R2Bucket, "list"> | null;
}

/** Remembers the slices of a backup until its manifest is written. */
export interface Notes {
  begin(id: string, startedAt: Date): Promise<void>;
  add(place: Place, slices: SliceRow[]): Promise<void>;
  slicesOf(id: string): Promise<SliceRow[]>;
}

export interface Page {
  source: Source;
  store: BackupStore;
  size: PageSize;
  notes: Notes;
}

export async function beginCopy({ source, notes }: Page): Promise<Place> {
  const now = source.now();
  const id = backupId(now);
  const [migrations] = await source.db.run([repo.appliedMigrations()]);
  await notes.begin(id, now);
  return {
    id,
    step: "tables",
    schema: migrations.at(-1) ?? "",
    table: null,
    after: null,
    max: FIRST_ROWS,
    slices: 0,
    rows: 0,
    bytes: 0,
  };
}

/** The place is at `expire` once the manifest is stored. */
export function copyNext(page: Page, place: Place): Promise<Place> {
  switch (place.step) {
    case "tables":
      return copyTables(page, place);
    case "objects":
      return listObjects(page, place);
    case "manifest":
      return finish(page, place);
    case "expire":
      return Promise.resolve(place);
    default:
      return place.step satisfies never;
  }
}

async function copyTables(page: Page, place: Place): Promise<Place> {
  const { source, store, size } = page;
  const [stored, migrations] = await source.db.run([repo.storedTables(), repo.appliedMigrations()]);
  // A deployment changed the schema: the slices so far may lack a column.
  if (migrations.at(-1) !== place.schema) return beginCopy(page);
  const tables = tablesOf(stored);
  const at = { ...place };
  const copied: SliceRow[] = [];
  let index = at.table === null ? 0 : tables.findIndex(({ name }) => name === at.table);
  let reads = 0;
  while (index < tables.length && copied.length < size.slices && reads < readsOf(size)) {
    const table = tables[index] as TableShape;
    const part = await readSlice(source, table, at, size);
    reads += part.reads;
    if (part.lines.length > 0) copied.push(await storeSlice(store, at, table.name, part.lines));
    if (part.isLast) index++;
    at.table = tables[index]?.name ?? null;
    at.after = part.isLast ? null : part.after;
    at.max = part.isLast ? FIRST_ROWS : part.max;
  }
  await page.notes.add(at, copied);
  return index < tables.length ? at : { ...at, step: "objects", table: null, after: null };
}

const readsOf = ({ slices }: PageSize): number => Math.max(MAX_READS, 2 * slices);

/** Reads until the slice is full or the table ends. */
async function readSlice(
  { db }: Source,
  table: TableShape,
  { after, max }: Pick<Place, "after" | "max">,
  { sliceBytes, maxRows }: PageSize,
) {
  const lines: string[] = [];
  let size = 0;
  let reads = 0;
  for (;;) {
    const [rows] = await db.run([repo.linesAfter(table, after, max)]);
    reads++;
    for (const { line, place } of rows) {
      if (lines.length > 0 && size + line.length > sliceBytes) {
        // So many fit. Rows that a read has beyond them are read again.
        return { lines, after, max: Math.min(max, lines.length), reads, isLast: false };
      }
      lines.push(line);
      size += line.length + 1;
      after = place;
    }
    if (rows.length < max) return { lines, after, max, reads, isLast: true };
    const average = size / lines.length;
    max = Math.ceil(Math.min(maxRows, 10 * max, sliceBytes / average));
    const room = Math.floor((sliceBytes - size) / average);
    // A slice that is nearly full ends here, so that few rows are read twice.
    if (room < max / 4) return { lines, after, max, reads, isLast: false };
    max = Math.min(max, room);
  }
}

async function storeSlice(
  store: BackupStore,
  at: Place,
  source: string,
  lines: readonly string[],
): Promise<SliceRow> {
  const number = ++at.slices;
  const bytes = await encodeGzip(utf8Bytes(`${lines.join("\n")}\n`));
  await store.put(`${folderOf(at.id)}${sliceName(number, source)}`, bytes);
  at.rows += source === OBJECTS ? 0 : lines.length;
  at.bytes += bytes.length;
  const sha256 = await sha256Hex(bytes);
  return { backupId: at.id, number, source, rows: lines.length, bytes: bytes.length, sha256 };
}

/** Comes behind every key of a backup, in the order of the bucket's list. */
const BEHIND_BACKUPS = `${FOLDER.slice(0, -1)}0`;

/** Lists the objects of the instance's bucket, without the backups. */
async function listObjects(page: Page, place: Place): Promise<Place> {
  const { source, store, size } = page;
  const at = { ...place };
  if (source.media === null) return { ...at, step: "manifest", after: null };
  const copied: SliceRow[] = [];
  for (let pages = 0; pages < size.slices; pages++) {
    const { objects, truncated } = await source.media.list({
      limit: LISTED,
      ...(at.after === null ? {} : { startAfter: at.after }),
    });
    const last = objects.at(-1)?.key ?? null;
    const own = objects.filter(({ key }) => !key.startsWith(FOLDER));
    const lines = own.map((one) => JSON.stringify([one.key, one.size, one.etag]));
    if (lines.length > 0) copied.push(await storeSlice(store, at, OBJECTS, lines));
    at.after = last?.startsWith(FOLDER) ? BEHIND_BACKUPS : last;
    if (!truncated || last === null) {
      await page.notes.add(at, copied);
      return { ...at, step: "manifest", after: null };
    }
  }
  await page.notes.add(at, copied);
  return at;
}

const toSlice = ({ number, source, rows, bytes, sha256 }: SliceRow): Slice => ({
  name: sliceName(number, source),
  rows,
  bytes,
  sha256,
});

const rowsIn = (slices: readonly Slice[]): number =>
  slices.reduce((sum, { rows }) => sum + rows, 0);

async function finish(page: Page, place: Place): Promise<Place> {
  const { source, store, notes } = page;
  const { id } = place;
  const now = source.now();
  const slices = await notes.slicesOf(id);
  const [stored, migrations, sequences] = await source.db.run([
    repo.storedTables(),
    repo.appliedMigrations(),
    repo.sequences(),
  ]);
  if (migrations.at(-1) !== place.schema) return beginCopy(page);
  const tables = tablesOf(stored);
  const [encryptionKeys] = await source.db.run([repo.usedKeys(tables)]);
  const bySource = Map.groupBy(slices, ({ source }) => source);
  const slicesFrom = (source: string) => (bySource.get(source) ?? []).map(toSlice);
  const objects = slicesFrom(OBJECTS);
  const manifest: Manifest = {
    format: FORMAT,
    id,
    version: VERSION,
    from: (startOf(id) ?? now).toISOString(),
    to: now.toISOString(),
    migrations,
    sequences: Object.fromEntries(sequences.map(({ name, seq }) => [name, seq])),
    tables: tables.map(({ name, columns, key }): TableCopy => {
      const own = slicesFrom(name);
      return { name, columns, key, rows: rowsIn(own), slices: own };
    }),
    objects: source.media && { count: rowsIn(objects), slices: objects },
    settings: source.settings(),
    encryptionKeys,
    lacks: LACKS,
  };
  await store.put(manifestKey(id), utf8Bytes(JSON.stringify(manifest)));
  return { ...place, step: "expire" };
}
