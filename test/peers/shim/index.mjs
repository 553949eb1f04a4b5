import { DatabaseSync } from "node:sqlite";

/** The codes the PDS acts on. Source: SQLite, "Result and Error Codes". */
const CODES = new Map([
  [5, "SQLITE_BUSY"],
  [261, "SQLITE_BUSY_RECOVERY"],
  [517, "SQLITE_BUSY_SNAPSHOT"],
  [773, "SQLITE_BUSY_TIMEOUT"],
  [1555, "SQLITE_CONSTRAINT_PRIMARYKEY"],
  [2067, "SQLITE_CONSTRAINT_UNIQUE"],
]);

export class SqliteError extends Error {
  constructor(message, code, cause) {
    super(message, { cause });
    this.code = code;
  }
}

function attempt(action) {
  try {
    return action();
  } catch (error) {
    if (error?.code !== "ERR_SQLITE_ERROR") throw error;
    throw new SqliteError(error.message, CODES.get(error.errcode) ?? "SQLITE_ERROR", error);
  }
}

const toValue = (value) =>
  value instanceof Uint8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    : value;

const toRow = (row) =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toValue(value)]));

class Statement {
  constructor(statement) {
    this.statement = statement;
    this.reader = statement.columns().length > 0;
  }

  all(parameters = []) {
    return attempt(() => this.statement.all(...parameters).map(toRow));
  }

  run(parameters = []) {
    return attempt(() => this.statement.run(...parameters));
  }

  *iterate(parameters = []) {
    for (const row of this.statement.iterate(...parameters)) yield toRow(row);
  }
}

/** As much of better-sqlite3 as the PDS uses, over Node's own SQLite: nothing to compile. */
export default class Database {
  constructor(path, { timeout = 5_000 } = {}) {
    this.database = attempt(() => new DatabaseSync(path, { timeout }));
  }

  prepare(sql) {
    return attempt(() => new Statement(this.database.prepare(sql)));
  }

  pragma(pragma) {
    return this.prepare(`PRAGMA ${pragma}`).all();
  }

  close() {
    this.database.close();
  }
}
