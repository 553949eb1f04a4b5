import { env } from "cloudflare:workers";
import type { Costs } from "./meter.ts";
import type { PlantedTeam } from "./permission-team.ts";

type Row = Record<string, unknown>;
export type Tables = Record<string, Row[]>;

/** Columns that say whose a row is. */
const OWNERS: Record<string, keyof ReturnType<typeof idsOf>> = {
  team_id: "teamId",
  user_id: "userId",
  owner_id: "userId",
};

const idsOf = ({ teamId, owner: { userId } }: PlantedTeam) => ({ teamId, userId });

let columns: Promise<Map<string, string[]>> | undefined;

/** Columns of every table of ours. */
async function readColumns(): Promise<Map<string, string[]>> {
  const { results } = await env.DB.prepare(
    `SELECT t.name AS name, json_group_array(c.name) AS columns
      FROM sqlite_master t, pragma_table_info(t.name) c
      WHERE t.type = 'table' AND t.name NOT GLOB 'sqlite_*' AND t.name NOT GLOB '_cf_*'
        AND t.name NOT GLOB 'd1_*'
      GROUP BY t.name`,
  ).all<{ name: string; columns: string }>();
  return new Map(results.map(({ name, columns }) => [name, JSON.parse(columns)]));
}

/** Reads, in one batch, every row of every table, or the rows that are a team's or its owner's. */
export async function readTables(team?: PlantedTeam): Promise<Tables> {
  columns ??= readColumns();
  const tables = [...(await columns)];
  const statements = tables.map(([table, names]) => {
    if (!team) return env.DB.prepare(`SELECT * FROM ${table}`);
    const own = names.filter((name) => name in OWNERS);
    const isOwn = own.map((name) => `${name} = ${idsOf(team)[OWNERS[name] ?? "teamId"]}`);
    return env.DB.prepare(`SELECT * FROM ${table} WHERE ${isOwn.join(" OR ") || "FALSE"}`);
  });
  const results = await env.DB.batch<Row>(statements);
  return Object.fromEntries(tables.map(([table], i) => [table, results[i]?.results ?? []]));
}

/** Columns that only the service sets. */
const PROTECTED =
  /^(team_id|user_id|owner_id|created_by|invited_by|accepted_by|role|is_active|status|status_group|plan|verified|amount|purchased|\w*credits|deleted_at|revoked_at|failure_count|uploaded_at|attempt|fence|metadata|approved_hash|approved_by|approver_id)$/;

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
