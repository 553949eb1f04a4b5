import { env } from "cloudflare:workers";
import type { PlantedTeam } from "./permission-team.ts";

type Row = Record<string, unknown>;
export type Tables = Record<string, Row[]>;

let names: Promise<string[]> | undefined;

async function tableNames(): Promise<string[]> {
  const { results } = await env.DB.prepare(
    `SELECT name FROM sqlite_master WHERE type = 'table'
      AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'd1_*'`,
  ).all<{ name: string }>();
  return results.map(({ name }) => name);
}

/** Reads every row of every table, in one batch. */
export async function readTables(): Promise<Tables> {
  names ??= tableNames();
  const tables = await names;
  const results = await env.DB.batch<Row>(
    tables.map((table) => env.DB.prepare(`SELECT * FROM ${table}`)),
  );
  return Object.fromEntries(tables.map((table, i) => [table, results[i]?.results ?? []]));
}

/** The rows that are a team's or its owner's. */
export function rowsOf({ teamId, owner }: PlantedTeam, tables: Tables): Tables {
  const isOwn = (table: string, row: Row) =>
    row.team_id === teamId ||
    row.user_id === owner.userId ||
    row.owner_id === owner.userId ||
    (table === "users" && row.id === owner.userId);
  return Object.fromEntries(
    Object.entries(tables).map(([table, rows]) => [table, rows.filter((row) => isOwn(table, row))]),
  );
}

/** Columns that only the service sets. */
const PROTECTED =
  /^(team_id|user_id|owner_id|created_by|invited_by|accepted_by|role|is_active|status|status_group|plan|verified|amount|purchased|\w*credits|deleted_at|revoked_at|failure_count)$/;

/** Returns the tables that differ between two readings. */
export const changedTables = (before: Tables, after: Tables): string[] =>
  Object.keys(after).filter(
    (table) => JSON.stringify(before[table]) !== JSON.stringify(after[table]),
  );

/** Returns the protected columns of each row that is new or changed, in no order that ids could tell. */
export function protectedEffect(before: Tables, after: Tables): Record<string, string[]> {
  const entries = changedTables(before, after).map((table) => {
    const known = new Set(before[table]?.map((row) => JSON.stringify(row)));
    const fresh = (after[table] ?? []).filter((row) => !known.has(JSON.stringify(row)));
    const told = fresh.map((row) =>
      JSON.stringify(Object.entries(row).filter(([column]) => PROTECTED.test(column))),
    );
    return [table, told.sort()] as const;
  });
  return Object.fromEntries(entries);
}
