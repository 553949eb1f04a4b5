import { is, SQL, sql } from "drizzle-orm";
import { preparedWrite, type Query, sqlQuery, sqlWrite } from "../../db/client.ts";
import { valueReader } from "../../db/rows.ts";
import type { Params } from "../../db/text.ts";
import type { Deps } from "../../deps.ts";
import { teams } from "../teams/table.ts";
import type { EventData, EventName } from "./catalogue.ts";

/** Each value, or SQL that is that value inside the batch, such as the id of a new row. */
type ValuesOrSql<T> = { [K in keyof T]: T[K] | SQL };

/** An event of the catalogue. `team`: an id, or SQL that is one inside the batch. */
type NewEvent = {
  [N in EventName]: { team: number | SQL; name: N; data: ValuesOrSql<EventData<N>> };
}[EventName];

function toJson(data: NewEvent["data"]): string | SQL {
  const entries = Object.entries(data);
  const known = entries.filter(([, value]) => !is(value, SQL));
  return entries
    .filter(([, value]) => is(value, SQL))
    .reduce<string | SQL>(
      (json, [name, value]) => sql`json_set(${json}, ${`$.${name}`}, ${value})`,
      JSON.stringify(Object.fromEntries(known)),
    );
}

interface Values {
  team: number | SQL;
  id: string | SQL;
  name: EventName;
  data: string | SQL;
  at: Date;
  /** `FROM` and `WHERE`: an event for each of the rows. */
  source: SQL;
}

const insertEvents = preparedWrite(
  ({ team, id, name, data, at, source }: Params<Values>) =>
    sql`INSERT INTO events (team_id, id, name, data, created_at)
      SELECT ${team}, ${id}, ${name}, ${data}, ${at} ${source}`,
);

type Clock = Pick<Deps, "newEventId" | "now">;

const insertEvent = (deps: Clock, { data, ...event }: NewEvent, source: SQL): Query<number> =>
  insertEvents({ ...event, id: deps.newEventId(), data: toJson(data), at: deps.now(), source });

/** Inserts an event in the batch of the change it tells of; only where `condition` holds. */
export const emit = (deps: Clock, event: NewEvent, condition: SQL): Query<number> =>
  insertEvent(deps, event, sql`WHERE ${condition}`);

const AFTER_A_CHANGE = sql`WHERE changes() > 0`;

/** Inserts an event as `emit` does, but only if the statement just before it in the batch changed a row. */
export const emitIfChanged = (deps: Clock, event: NewEvent): Query<number> =>
  insertEvent(deps, event, AFTER_A_CHANGE);

/** Inserts an event for each of the rows that `source` (`FROM … WHERE …`) finds; `event` names their columns. */
export const emitForEach = (now: Date, { data, ...event }: NewEvent, source: SQL): Query<number> =>
  insertEvents({ ...event, id: unorderedId(now), data: toJson(data), at: now, source });

/** Ids as `timeSortedId` makes them, but in no order within the millisecond: nobody knows how many there are. */
const unorderedId = (now: Date): SQL =>
  sql`'evt_' || printf('%012x', ${now.getTime()}) || lower(hex(randomblob(8)))`;

/** Finds the team that comes `count` teams after the first with an id of `from` or more. */
export const teamAfter = (from: number, count: number): Query<number[]> =>
  sqlQuery(
    sql`SELECT id FROM teams WHERE id >= ${from} ORDER BY id LIMIT 1 OFFSET ${count}`,
    valueReader(teams.id),
  );

/** Removes up to `most` events of a team. */
export const eraseEvents = (team: number, most: number): Query<number> =>
  sqlWrite(sql`DELETE FROM events WHERE (team_id, id) IN
    (SELECT team_id, id FROM events WHERE team_id = ${team} LIMIT ${most})`);

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
