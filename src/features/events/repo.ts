import { is, SQL, sql } from "drizzle-orm";
import { text } from "drizzle-orm/sqlite-core";
import { firstIdSince } from "../../core/ids.ts";
import { prepared, type Query, sqlQuery, sqlWrite } from "../../db/client.ts";
import { flag } from "../../db/columns.ts";
import { pickColumns, rowReader, valueReader } from "../../db/rows.ts";
import type { Params } from "../../db/text.ts";
import type { Deps } from "../../deps.ts";
import { tryToWakeDeliveries, type Wake, wakeNotices, whenDue } from "../../queue/wake.ts";
import { isNoticed } from "../notices/rules.ts";
import { teams } from "../teams/table.ts";
import type { EventData, EventName } from "./catalogue.ts";
import { events } from "./table.ts";

/** A value may be SQL, such as the id of a row inserted in the same batch. */
type ValuesOrSql<T> = { [K in keyof T]: T[K] | SQL };

/** `by`: the acting member, who gets no notice. */
type NewEvent = {
  [N in EventName]: {
    team: number | SQL;
    name: N;
    data: ValuesOrSql<EventData<N>>;
    by?: number | null;
  };
}[EventName];

function toJson(data: NewEvent["data"]): string | SQL {
  const entries = Object.entries(data);
  const plain = entries.filter(([, value]) => !is(value, SQL));
  return entries
    .filter(([, value]) => is(value, SQL))
    .reduce<string | SQL>(
      (json, [name, value]) => sql`json_set(${json}, ${`$.${name}`}, ${value})`,
      JSON.stringify(Object.fromEntries(plain)),
    );
}

/** Parts of a time-sortable id: `head` is the time with a counter, `tail` is random. */
interface IdParts {
  head: string;
  tail: string | SQL;
}

interface Values extends IdParts {
  team: number | SQL;
  name: EventName;
  data: string | SQL;
  by: number | null;
  at: Date;
  /** SQL `FROM` and `WHERE`; each row becomes one event. */
  source: SQL;
}

/**
 * Database triggers create the events' deliveries and notices.
 *
 * If the team already has a later id, a new event gets the next id after it. D1 writes batches one after another, so a
 * reader with a cursor misses no event. Pings are not in the feed and keep their ids. Ids are hexadecimal, which SQLite
 * can only read as JSON5.
 */
const insertEvents = prepared(
  ({ team, head, tail, name, data, by, at, source }: Params<Values>) =>
    sql`INSERT INTO events (team_id, id, name, data, actor_id, created_at)
      SELECT of_team, 'evt_' || coalesce((
          SELECT printf('%016x', ('0x' || substr(later.id, 5, 16)) ->> '$' + 1) FROM events later
          WHERE later.team_id = of_team AND later.id >= 'evt_' || ${head}
            AND ${name} <> 'webhook.ping'
          ORDER BY later.id DESC LIMIT 1), ${head}) || ${tail}, ${name}, data, ${by}, ${at}
      FROM (SELECT ${team} AS of_team, ${data} AS data ${source})
      RETURNING id, EXISTS (SELECT 1 FROM webhooks WHERE team_id = events.team_id
        AND deleted_at IS NULL AND is_active = 1
        AND instr(webhooks.events, '"' || events.name || '"') > 0) AS is_awaited`,
  rowReader({ id: text("id").notNull(), isAwaited: flag("is_awaited").notNull() }),
);

/** Without a queue, webhook deliveries wait for the next cron tick. */
type Emitter = Pick<Deps, "newEventId" | "now"> &
  Partial<Pick<Deps, "webhookQueue" | "defer" | "log">>;

function insertAndWake(deps: Partial<Emitter>, values: Values): Query<number> {
  const query = insertEvents(values);
  return {
    ...query,
    read: (result) => {
      const rows = query.read(result);
      const wakes = rows.flatMap(({ id, isAwaited }) =>
        isAwaited ? [whenDue([values.at.getTime(), id])] : [],
      );
      if (wakes.length > 0) wakeSoon(deps, wakes, values.at);
      if (rows.length > 0 && isNoticed(values.name)) noticeSoon(deps);
      return rows.length;
    },
  };
}

function wakeSoon({ webhookQueue, defer, log }: Partial<Emitter>, wakes: Wake[], at: Date): void {
  if (!webhookQueue || !defer) return;
  defer(tryToWakeDeliveries({ webhookQueue, now: () => at, ...(log && { log }) }, wakes));
}

function noticeSoon({ webhookQueue, defer, log }: Partial<Emitter>): void {
  if (webhookQueue && defer) defer(wakeNotices({ webhookQueue, ...(log && { log }) }));
}

const insertEvent = (
  deps: Emitter,
  { data, by = null, ...event }: NewEvent,
  source: SQL,
): Query<number> =>
  insertAndWake(deps, {
    ...event,
    ...partsOf(deps.newEventId()),
    by,
    data: toJson(data),
    at: deps.now(),
    source,
  });

const partsOf = (id: string): IdParts => ({ head: id.slice(4, 20), tail: id.slice(20) });

/** Inserts an event if `condition` holds; belongs in the batch of the change that it reports. */
export const emit = (deps: Emitter, event: NewEvent, condition: SQL): Query<number> =>
  insertEvent(deps, event, sql`WHERE ${condition}`);

const AFTER_A_CHANGE = sql`WHERE changes() > 0`;

/** Acts if the batch's previous statement changed a row. */
export const emitIfChanged = (deps: Emitter, event: NewEvent): Query<number> =>
  insertEvent(deps, event, AFTER_A_CHANGE);

/** Inserts one event per row of `source` (`FROM … WHERE …`); `data` may name its columns. */
export function emitForEach(
  deps: Omit<Emitter, "newEventId">,
  { data, by = null, ...event }: NewEvent,
  source: SQL,
): Query<number> {
  const at = deps.now();
  // The events share a counter, because their order is undefined.
  const { head } = partsOf(`${firstIdSince("evt", at)}0000`);
  const tail = sql`lower(hex(randomblob(6)))`;
  return insertAndWake(deps, { ...event, head, tail, by, data: toJson(data), at, source });
}

export const teamAfter = (from: number, count: number): Query<number[]> =>
  sqlQuery(
    sql`SELECT id FROM teams WHERE id >= ${from} ORDER BY id LIMIT 1 OFFSET ${count}`,
    valueReader(teams.id),
  );

export const eraseEvents = (team: number, max: number): Query<number> =>
  sqlWrite(sql`DELETE FROM events WHERE (team_id, id) IN
    (SELECT team_id, id FROM events WHERE team_id = ${team} LIMIT ${max})`);

/** Events with ids below `before` of `teams` teams, whose ids begin at `from`. */
export const removeEvents = ({
  from,
  teams,
  before,
  max,
}: Record<"from" | "teams" | "max", number> & { before: string }): Query<number> =>
  sqlWrite(sql`DELETE FROM events WHERE (team_id, id) IN (
    SELECT old.team_id, old.id
      FROM (SELECT id FROM teams WHERE id >= ${from} ORDER BY id LIMIT ${teams}) team
      CROSS JOIN events old ON old.team_id = team.id AND old.id < ${before}
      LIMIT ${max})`);

const readStored = rowReader({
  ...pickColumns(events, ["id", "createdAt"]),
  event: text("name").$type<EventName>().notNull(),
  /** JSON text. */
  data: text("data").notNull(),
});

/** Oldest first, without pings. */
export const eventsAfter = (
  team: number | SQL,
  { after, name, limit }: { after: string; name: EventName | null; limit: number },
) =>
  sqlQuery(
    sql`SELECT id, name, data, created_at FROM events WHERE team_id = ${team} AND id > ${after}
      AND name <> 'webhook.ping' AND name = ${name ?? sql`name`} ORDER BY id LIMIT ${limit}`,
    readStored,
  );

/** Includes pings. */
export const lastEventId = (team: number | SQL): Query<string[]> =>
  sqlQuery(
    sql`SELECT id FROM events WHERE team_id = ${team} ORDER BY id DESC LIMIT 1`,
    valueReader(events.id),
  );
