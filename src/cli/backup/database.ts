import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Miniflare } from "miniflare";
import type { Db, Query } from "../../db/client.ts";
import { execute, type Place, type Row } from "../d1.ts";
import { inProject } from "../paths.ts";
import { Problem } from "../program.ts";
import { quote } from "../sql.ts";
import { readTomlTables } from "../toml.ts";
import { requireWrangler } from "../wrangler.ts";

/** `lines` become the JSON array that `sql` makes of its source. */
export type Write = string | { insert(source: string): string; lines: readonly string[] };

/** A local or deployed database. */
export interface Database {
  read(statement: string): Promise<Row[]>;
  /** All of it is written, or nothing. */
  write(writes: readonly Write[]): Promise<void>;
  /** Runs the statements of a file, triggers included. */
  runScript(script: string): Promise<void>;
  /** For the Worker's own queries. */
  db: Db;
  /** Null when the bucket cannot be listed from here. */
  bucket: R2Bucket | null;
  close(): Promise<void>;
}

export async function openDatabase(place: Place): Promise<Database> {
  return place.kind === "local" ? openLocal(place.stateDir) : openRemote(place);
}

async function openLocal(stateDir: string): Promise<Database> {
  const toml = await readFile(inProject("wrangler.toml"), "utf8");
  const folder = join(stateDir, "v3");
  const { openFile } = await import("./local-file.ts");
  const file = await openFile(folder, requiredId(toml, "d1_databases", "database_id"));
  const { convertV4MiniflareOptions, Miniflare } = await import("miniflare");
  const miniflare: Miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: "",
      cf: false,
      resourcePersistencePath: folder,
      r2Buckets: { MEDIA: requiredId(toml, "r2_buckets", "bucket_name") },
      handleStructuredLogs: ({ message }) => console.error(message),
    }),
  );
  const bucket = await miniflare.getR2Bucket("MEDIA");
  const read = (statement: string, params?: Query<unknown>["params"]) =>
    refused(async () => file.read(statement, params as (string | number | null)[]));
  return {
    read,
    write: (writes) => refused(async () => file.write(writes)),
    runScript: (script) => refused(async () => file.runScript(script)),
    db: queriesBy(({ sql, params }) => read(sql, params)),
    bucket: bucket as unknown as R2Bucket,
    close: async () => {
      file.close();
      await miniflare.dispose();
    },
  };
}

function requiredId(toml: string, table: string, name: string): string {
  const id = readTomlTables(toml, table)[0]?.[name];
  if (id) return id;
  throw new Problem(`wrangler.toml has no ${name} under [[${table}]].`);
}

/** Another program that writes holds the lock for one transaction. */
const LOCK_WAIT_MS = 100;
const LOCK_TRIES = 300;

/** @throws Problem with the database's own message */
async function refused<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const reason = error.cause instanceof Error ? error.cause.message : error.message;
      const isLocked = reason.includes("SQLITE_BUSY");
      if (!isLocked || tries === LOCK_TRIES) throw new Problem(`The database said: ${reason}`);
      await sleep(LOCK_WAIT_MS);
    }
  }
}

/** Source: D1, "Limits": a statement has at most 100,000 bytes. */
const MAX_LITERAL_BYTES = 90_000;
/** A command line takes less than 128 KiB in one argument. Longer statements go by a file. */
const MAX_COMMAND_BYTES = 100_000;

function openRemote(place: Place & { kind: "remote" }): Database {
  const read = async (statement: string) => (await execute(place, [statement]))[0] ?? [];
  return {
    read,
    write: (writes) => runStatements(place, writes.flatMap(literals)),
    runScript: (script) => runFile(place, script),
    db: queriesBy((query) => read(withValues(query))),
    bucket: null,
    close: async () => {},
  };
}

/** The statements of backups number their parameters. */
const withValues = ({ sql, params }: Query<unknown>): string =>
  sql.replace(/\?(\d)/g, (_, number) =>
    quote(params[Number(number) - 1] as string | number | null),
  );

const bytesOf = (text: string): number => Buffer.byteLength(text);

async function runStatements(place: Place & { kind: "remote" }, statements: readonly string[]) {
  const script = statements.join(";\n");
  if (script === "") return;
  if (bytesOf(script) < MAX_COMMAND_BYTES) await execute(place, [...statements]);
  else await runFile(place, `${script};\n`);
}

async function runFile({ config }: Place & { kind: "remote" }, script: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "akimbo-restore-"));
  try {
    const file = join(folder, "statements.sql");
    await writeFile(file, script, { mode: 0o600 });
    const options = ["--remote", "--config", config, "--file", file, "--yes"];
    await requireWrangler("Writing to the database", ["d1", "execute", "DB", ...options]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Table for the pieces of lines that are too long for one statement. */
export const PIECES = "restoring_pieces";

function literals(write: Write): string[] {
  if (typeof write === "string") return [write];
  const statements: string[] = [];
  let some: string[] = [];
  let size = 0;
  const end = () => {
    if (some.length > 0) statements.push(write.insert(quote(`[${some.join(",")}]`)));
    some = [];
    size = 0;
  };
  for (const line of write.lines) {
    const bytes = bytesOf(quote(line));
    if (bytes > MAX_LITERAL_BYTES) {
      end();
      statements.push(...inPieces(write, line));
      continue;
    }
    if (size + bytes > MAX_LITERAL_BYTES) end();
    some.push(line);
    size += bytes + 1;
  }
  end();
  return statements;
}

/** A character has at most 4 bytes, and quotes are doubled. */
const PIECE_CHARACTERS = MAX_LITERAL_BYTES / 6;

function inPieces({ insert }: Exclude<Write, string>, line: string): string[] {
  const characters = Array.from(line);
  const pieces = Array.from({ length: Math.ceil(characters.length / PIECE_CHARACTERS) }, (_, i) =>
    characters.slice(i * PIECE_CHARACTERS, (i + 1) * PIECE_CHARACTERS).join(""),
  );
  return [
    `DELETE FROM ${PIECES}`,
    ...pieces.map((piece, i) => `INSERT INTO ${PIECES} (n, piece) VALUES (${i}, ${quote(piece)})`),
    insert(`(SELECT '[' || group_concat(piece, '' ORDER BY n) || ']' FROM ${PIECES})`),
  ];
}

function queriesBy(read: (query: Query<unknown>) => Promise<Row[]>): Db {
  const runAll = async <T>(queries: readonly Query<T>[]): Promise<T[]> => {
    const answers: T[] = [];
    for (const query of queries) {
      const results = await read(query);
      answers.push(query.read({ results, meta: { changes: 0 } } as unknown as D1Result<Row>));
    }
    return answers;
  };
  return { runAll, run: async (queries) => (await runAll(queries)) as never };
}
