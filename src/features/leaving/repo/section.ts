import type { SQL } from "drizzle-orm";
import type { Query } from "../../../db/client.ts";
import type { LINE_TYPES } from "../schema.ts";

export type LineType = (typeof LINE_TYPES)[number];

/** Place of a row in the order of its section: the values of the columns that order it. */
export type Key = readonly (string | number)[];

export interface ExportedRow {
  key: Key;
  data: Record<string, unknown>;
}

export interface Section {
  type: LineType;
  /** Key before every row. */
  start: Key;
  /** Up to `limit` rows of the team behind `after`. */
  rows(team: SQL, after: Key, limit: number): Query<ExportedRow[]>;
}
