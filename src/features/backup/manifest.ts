import { encodingOf, type TableColumn } from "../../db/lines.ts";
import { childrenFirst, isBackedUp, startOf } from "./rules.ts";

/** One file of a backup. */
export interface Slice {
  name: string;
  rows: number;
  /** Of the stored, compressed file. */
  bytes: number;
  /** Of the stored, compressed file; hex. */
  sha256: string;
}

export interface TableCopy {
  name: string;
  columns: TableColumn[];
  /** Names of the columns by which the slices are ordered. */
  key: string[];
  rows: number;
  slices: Slice[];
}

export interface Manifest {
  format: number;
  id: string;
  /** Version of the project that made the backup. */
  version: string;
  /** ISO 8601. Rows were read between the two: a backup is not one instant. */
  from: string;
  to: string;
  /** Names of the migrations of the schema, in their order. */
  migrations: string[];
  /** The next id of each table is higher than this one. */
  sequences: Record<string, number>;
  tables: TableCopy[];
  /** Lines of [key, bytes, etag] of the objects in the bucket; null when the bucket could not be listed. */
  objects: { count: number; slices: Slice[] } | null;
  settings: { values: Record<string, string>; secrets: string[] };
  /** Ids of the keys in `ENCRYPTION_KEYS` that encrypt something in this backup. The keys are not in it. */
  encryptionKeys: string[];
  lacks: string;
}

export const LACKS =
  "Not in this backup: the values of secrets (ENCRYPTION_KEYS, SIGNING_KEY and the keys of platform apps), the files in the bucket, which are only listed, the state of Durable Objects, and messages that waited in queues.";

const isText = (value: unknown): value is string => typeof value === "string";
/** Text that a terminal shows as it is. */
const isName = (value: unknown): value is string => isText(value) && !/\p{Cc}/u.test(value);
const isId = (value: unknown): value is string => isText(value) && startOf(value) !== null;
const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Each restore adds to the ids of a database, which have to stay exact numbers. */
const MAX_SEQUENCE = 10 ** 15;

const isSequence = (value: unknown): boolean => isCount(value) && value <= MAX_SEQUENCE;

const NAME = /^[\w-]+\.jsonl\.gz$/;
const WORD = /^\w+$/;

const isSlice = (value: unknown): value is Slice =>
  isObject(value) &&
  isText(value.name) &&
  NAME.test(value.name) &&
  isCount(value.rows) &&
  isCount(value.bytes) &&
  isText(value.sha256) &&
  /^[0-9a-f]{64}$/.test(value.sha256);

const isColumn = (value: unknown): value is TableColumn =>
  isObject(value) &&
  isText(value.name) &&
  WORD.test(value.name) &&
  (value.as === "plain" || value.as === "typed");

const isTable = (value: unknown): value is TableCopy =>
  isObject(value) &&
  isText(value.name) &&
  WORD.test(value.name) &&
  isCount(value.rows) &&
  isListOf(value.columns, isColumn) &&
  isListOf(value.key, isText) &&
  isListOf(value.slices, isSlice);

const isListOf = <T>(value: unknown, isOne: (one: unknown) => one is T): value is T[] =>
  Array.isArray(value) && value.every(isOne);

const isRecordOf = (value: unknown, isOne: (one: unknown) => boolean) =>
  isObject(value) && Object.values(value).every(isOne);

/** Null for text that is no manifest. The format is not judged. */
export function readManifest(text: string): Manifest | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(value)) return null;
  const { objects, settings } = value;
  const isWhole =
    isCount(value.format) &&
    isId(value.id) &&
    [value.version, value.from, value.to, value.lacks].every(isName) &&
    isListOf(value.migrations, isName) &&
    isListOf(value.encryptionKeys, isName) &&
    isRecordOf(value.sequences, isSequence) &&
    isListOf(value.tables, isTable) &&
    (objects === null ||
      (isObject(objects) && isCount(objects.count) && isListOf(objects.slices, isSlice))) &&
    isObject(settings) &&
    isRecordOf(settings.values, isText) &&
    isListOf(settings.secrets, isText);
  return isWhole ? (value as unknown as Manifest) : null;
}

export interface TableShape {
  name: string;
  sql: string;
  columns: TableColumn[];
  key: string[];
}

/** As the statement of all tables answers it. */
export interface StoredTable {
  name: string;
  sql: string;
  columns: string;
}

/** The tables that a backup has, in the order in which it reads them. */
export const tablesOf = (stored: readonly StoredTable[]): TableShape[] =>
  childrenFirst(stored.filter(({ name }) => isBackedUp(name)).map((table) => toShape(table)));

/** Options stand behind the last parenthesis. */
const STRICT = /\bSTRICT\b[^)]*$/i;

function toShape({ name, sql, columns }: StoredTable): TableShape {
  const all = JSON.parse(columns) as [name: string, type: string, place: number][];
  const key = all
    .filter(([, , place]) => place > 0)
    .toSorted(([, , a], [, , b]) => a - b)
    .map(([column]) => column);
  return {
    name,
    sql,
    columns: all.map(([column, type]) => ({
      name: column,
      as: encodingOf(type, STRICT.test(sql)),
    })),
    key: key.length > 0 ? key : ["rowid"],
  };
}
