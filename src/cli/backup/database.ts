import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Miniflare } from "miniflare";
import type { Db, Query } from "../../db/client.ts";
import { type AccountApi, openAccount } from "../account-api.ts";
import type { Place, Row } from "../d1.ts";
import { inProject } from "../paths.ts";
import { Problem } from "../program.ts";
import { quote } from "../sql.ts";
import { readTomlTables } from "../toml.ts";
import { requireWrangler } from "../wrangler.ts";
import type { Write } from "./write.ts";

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
  /** Null for a local one. */
  account: AccountApi | null;
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
    refused(() => file.read(statement, params as (string | number | null)[]));
  return {
    read,
    write: (writes) => refused(() => file.write(writes)),
    runScript: (script) => refused(() => file.runScript(script)),
    db: queriesBy((queries) => Promise.all(queries.map(({ sql, params }) => read(sql, params)))),
    bucket: bucket as unknown as R2Bucket,
    account: null,
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

/** @throws Problem with the database's own message */
async function refused<T>(work: () => T): Promise<T> {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new Problem(`The database said: ${error.message}`);
  }
}

/** Source: D1, "Limits": a statement has at most 100,000 bytes. */
const MAX_LITERAL_BYTES = 90_000;
/** Longer scripts are imported as a file, which is quicker and closes the database meanwhile. */
const MAX_CALL_BYTES = 100_000;

async function openRemote(place: Place & { kind: "remote" }): Promise<Database> {
  const account = await openAccount(place.config);
  const read = async (statement: string) => (await account.query([statement]))[0] ?? [];
  const runScript = async (script: string) => {
    if (bytesOf(script) < MAX_CALL_BYTES) await account.query([script]);
    else await runFile(place, script);
  };
  return {
    read,
    write: async (writes) => {
      const statements = writes.flatMap(literals);
      if (statements.length > 0) await runScript(`${statements.join(";\n")};\n`);
    },
    runScript,
    db: queriesBy(async (queries) => account.query(queries.map(withValues))),
    bucket: null,
    account,
    close: async () => {},
  };
}

/** The statements of backups number their parameters. */
const withValues = ({ sql, params }: Query<unknown>): string =>
  sql.replace(/\?(\d)/g, (_, number) =>
    quote(params[Number(number) - 1] as string | number | null),
  );

const bytesOf = (text: string): number => Buffer.byteLength(text);

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

function queriesBy(read: (queries: readonly Query<unknown>[]) => Promise<Row[][]>): Db {
  const runAll = async <T>(queries: readonly Query<T>[]): Promise<T[]> => {
    if (queries.length === 0) return [];
    const answers = await read(queries);
    return queries.map((query, i) =>
      query.read({ results: answers[i] ?? [], meta: { changes: 0 } } as unknown as D1Result<Row>),
    );
  };
  return { runAll, run: async (queries) => (await runAll(queries)) as never };
}
