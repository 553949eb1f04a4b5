import { env } from "cloudflare:workers";
import type { Costs } from "./meter.ts";
import type { PlantedTeam } from "./permission-team.ts";

/** The rows of each table, as JSON. */
export type Tables = Record<string, string>;

const toRows = (rows = "[]"): unknown[][] => JSON.parse(rows);

/** Columns that say whose a row is. */
const OWNERS: Record<string, keyof ReturnType<typeof idsOf>> = {
  team_id: "teamId",
  user_id: "userId",
  owner_id: "userId",
};

const idsOf = ({ teamId, owner: { userId } }: PlantedTeam) => ({ teamId, userId });

type Column = [name: string, type: string];

let columns: Promise<Map<string, Column[]>> | undefined;

/** Columns of every table of ours. */
async function readColumns(): Promise<Map<string, Column[]>> {
  const { results } = await env.DB.prepare(
    `SELECT t.name AS name, json_group_array(json_array(c.name, c.type)) AS columns
      FROM sqlite_master t, pragma_table_info(t.name) c
      WHERE t.type = 'table' AND t.name NOT GLOB 'sqlite_*' AND t.name NOT GLOB '_cf_*'
        AND t.name NOT GLOB 'd1_*'
      GROUP BY t.name`,
  ).all<{ name: string; columns: string }>();
  return new Map(results.map(({ name, columns }) => [name, JSON.parse(columns)]));
}

const isOwnOf = (team: PlantedTeam, names: Column[]): string =>
  names
    .filter(([name]) => name in OWNERS)
    .map(([name]) => `${name} = ${idsOf(team)[OWNERS[name] ?? "teamId"]}`)
    .join(" OR ") || "FALSE";

/** The rows of a table as JSON, which cannot hold bytes. */
function rowsOf(table: string, names: Column[], where: string): string {
  const values = names.map(([name, type]) => (type === "BLOB" ? `hex(${name})` : name));
  return `(SELECT json_group_array(json_array(${values})) FROM ${table} WHERE ${where}) AS ${table}`;
}

/** Reads, by one statement, every row of every table, or the rows that are a team's or its owner's. */
export async function readTables(team?: PlantedTeam): Promise<Tables> {
  columns ??= readColumns();
  const tables = [...(await columns)];
  const rows = tables.map(([table, names]) =>
    rowsOf(table, names, team ? isOwnOf(team, names) : "TRUE"),
  );
  return (await env.DB.prepare(`SELECT ${rows}`).first<Tables>()) ?? {};
}

/** Columns that only the service sets. */
const PROTECTED =
  /^(team_id|user_id|owner_id|created_by|invited_by|accepted_by|role|is_active|status|status_group|plan|verified|amount|purchased|\w*credits|deleted_at|revoked_at|failure_count|uploaded_at|attempt|fence|metadata|approved_hash|approved_by|approver_id)$/;

/** Returns the tables that differ between two readings. */
export const changedTables = (before: Tables, after: Tables): string[] =>
  Object.keys(after).filter((table) => before[table] !== after[table]);

/** Returns the protected columns of each row that is new or changed, in no order that ids could tell. */
export async function protectedEffect(
  before: Tables,
  after: Tables,
): Promise<Record<string, string[]>> {
  const names = await columns;
  const entries = changedTables(before, after).map((table) => {
    const known = new Set(toRows(before[table]).map((row) => JSON.stringify(row)));
    const fresh = toRows(after[table]).filter((row) => !known.has(JSON.stringify(row)));
    const told = fresh.map((row) => {
      const cells = names?.get(table)?.map(([column], i) => [column, row[i]] as const) ?? [];
      return JSON.stringify(cells.filter(([column]) => PROTECTED.test(column)));
    });
    return [table, told.sort()] as const;
  });
  return Object.fromEntries(entries);
}

/** Tells each lasting effect that some work had; a refused call has none. */
export function effectsOf({ roundTrips, queueSends, storageCalls, fetches }: Costs): string[] {
  const writes = roundTrips.flat().filter(({ rowsWritten }) => rowsWritten > 0);
  const stored = storageCalls.filter((call) => !["get", "head", "list"].includes(call));
  return [
    ...writes.map(({ sql }) => `writes: ${sql.slice(0, 60)}`),
    ...queueSends.map((count) => `sends ${count} messages`),
    ...stored.map((call) => `storage: ${call}`),
    ...fetches.map((call) => `calls ${call}`),
  ];
}
