import { type SQL, sql } from "drizzle-orm";
import { type Query, sqlQuery, sqlWrite } from "../../db/client.ts";
import { valueReader } from "../../db/rows.ts";
import type { Deps } from "../../deps.ts";
import { teams } from "../teams/table.ts";
import type { EventData, EventName } from "./catalogue.ts";

/** Each value, or SQL that is that value inside the batch, such as the id of a new row. */
type ValuesOrSql<T> = { [K in keyof T]: T[K] | SQL };

/** An event of the catalogue. `team`: an id, or SQL that is one inside the batch. */
export type NewEvent = {
  [N in EventName]: { team: number | SQL; name: N; data: ValuesOrSql<EventData<N>> };
}[EventName];

function toJson(data: NewEvent["data"]): SQL {
  const entries = Object.entries(data);
  const known = entries.filter(([, value]) => !isSql(value));
  return entries
    .filter((entry): entry is [string, SQL] => isSql(entry[1]))
    .reduce(
      (json, [name, value]) => sql`json_set(${json}, ${`$.${name}`}, ${value})`,
      sql`${JSON.stringify(Object.fromEntries(known))}`,
    );
}

const isSql = (value: unknown): value is SQL =>
  typeof value === "object" && value !== null && "queryChunks" in value;

const insertEvents = ({ team, name, data }: NewEvent, id: SQL, at: number, source: SQL) =>
  sqlWrite(sql`INSERT INTO events (team_id, id, name, data, created_at)
    SELECT ${team}, ${id}, ${name}, ${toJson(data)}, ${at} ${source}`);

/** Inserts an event in the batch of the change it tells of; only where `condition` holds. */
export const emit = (
  deps: Pick<Deps, "newEventId" | "now">,
  event: NewEvent,
  condition: SQL = sql`TRUE`,
): Query<number> =>
  insertEvents(event, sql`${deps.newEventId()}`, deps.now().getTime(), sql`WHERE ${condition}`);

/** As `emit`, but only if the statement just before it in the batch changed a row. */
export const emitIfChanged = (
  deps: Pick<Deps, "newEventId" | "now">,
  event: NewEvent,
): Query<number> => emit(deps, event, sql`changes() > 0`);

/** Inserts an event for each of the rows that `source` (`FROM … WHERE …`) finds; `event` names their columns. */
export function emitForEach(now: Date, event: NewEvent, source: SQL): Query<number> {
  const at = now.getTime();
  // As `timeSortedId` makes them, in the order of chance: nobody knows how many there are.
  const id = sql`'evt_' || printf('%012x', ${at}) || lower(hex(randomblob(8)))`;
  return insertEvents(event, id, at, source);
}

/** The id of the team that comes `count` teams after the one from which they are counted. */
export const teamAfter = (from: number, count: number): Query<number[]> =>
  sqlQuery(
    sql`SELECT id FROM teams WHERE id >= ${from} ORDER BY id LIMIT 1 OFFSET ${count}`,
    valueReader(teams.id),
  );

/** Removes up to `most` events with an id below `before` from the next `teams` teams, beginning with `from`. */
export const removeEvents = ({
  from,
  teams,
  before,
  most,
}: Record<"from" | "teams" | "most", number> & { before: string }): Query<number> =>
  sqlWrite(sql`DELETE FROM events WHERE (team_id, id) IN (
    SELECT old.team_id, old.id
      FROM (SELECT id FROM teams WHERE id >= ${from} ORDER BY id LIMIT ${teams}) team
      CROSS JOIN events old ON old.team_id = team.id AND old.id < ${before}
      LIMIT ${most})`);
