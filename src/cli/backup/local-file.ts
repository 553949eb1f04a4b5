import { createHash, createHmac } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import type { Row } from "../d1.ts";
import type { Write } from "./write.ts";

/*
 * The file of a local database is opened without the runtime, in which each row passes through two processes as JSON.
 * That takes most of the time of a restore.
 */

/** The runtime keeps a local database in a Durable Object of this class. */
const CLASS = "miniflare-D1DatabaseObject";

/** The runtime names the file of a Durable Object by a hash of its class and name. */
function objectId(name: string): string {
  const key = createHash("sha256").update(CLASS).digest();
  const head = createHmac("sha256", key).update(name).digest().subarray(0, 16);
  const tail = createHmac("sha256", key).update(head).digest().subarray(0, 16);
  return Buffer.concat([head, tail]).toString("hex");
}

/** Other processes may hold the database this long. */
const WAIT_MS = 10_000;
const CACHE_KIB = 262_144;

type Value = string | number | null;

export interface LocalFile {
  read(statement: string, params?: readonly Value[]): Row[];
  /** All of it is written, or nothing. */
  write(writes: readonly Write[]): void;
  runScript(script: string): void;
  close(): void;
}

/** @param folder of the runtime's state */
export async function openFile(folder: string, databaseId: string): Promise<LocalFile> {
  const path = join(folder, "d1", CLASS, `${objectId(databaseId)}.sqlite`);
  if (!existsSync(path)) await makeFile(folder, databaseId);
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(path, { timeout: WAIT_MS });
  database.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
  return {
    read: (statement, params = []) => database.prepare(statement).all(...params) as Row[],
    write: (writes) =>
      inTransaction(database, () => {
        for (const one of writes) {
          if (typeof one === "string") database.exec(one);
          else database.prepare(one.insert("?1")).run(`[${one.lines.join(",")}]`);
        }
      }),
    runScript: (script) => inTransaction(database, () => database.exec(script)),
    close: () => database.close(),
  };
}

/** The runtime makes the file, with tables of its own. */
async function makeFile(folder: string, databaseId: string): Promise<void> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: "",
      cf: false,
      resourcePersistencePath: folder,
      d1Databases: { DB: databaseId },
      handleStructuredLogs: ({ message }) => console.error(message),
    }),
  );
  try {
    await (await miniflare.getD1Database("DB")).prepare("SELECT 1").run();
  } finally {
    await miniflare.dispose();
  }
}

function inTransaction(database: DatabaseSync, work: () => void): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    work();
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}
