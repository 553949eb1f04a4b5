import type { SQL } from "drizzle-orm";
import type { Query } from "../../../db/client.ts";
import type { Ctx, Deps } from "../../../deps.ts";
import type { LINE_TYPES } from "../schema.ts";

export type LineType = (typeof LINE_TYPES)[number];

/** Values of a row's ordering columns. */
export type Key = readonly (string | number)[];

export interface ExportedRow {
  key: Key;
  data: Record<string, unknown>;
}

export type ExportDeps = Pick<Deps, "config" | "now">;

export interface Section {
  type: LineType;
  /** Sorts before the key of every row. */
  start: Key;
  rows(team: SQL, after: Key, limit: number, deps: ExportDeps): Query<ExportedRow[]>;
}

/** Rows that are not in the database. Fewer rows than the limit, but for none, do not end the section. */
export interface StoredSection extends Pick<Section, "type" | "start"> {
  read(ctx: Ctx, after: Key, limit: number): Promise<ExportedRow[]>;
}
