import { type SQL, sql } from "drizzle-orm";
import { type Query, sqlWrite } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";

/** Source: spec, "Events". */
export type EventName =
  | "upload.completed"
  | "upload.failed"
  | "upload.scheduled"
  | "upload.cancelled"
  | "upload.changes_requested"
  | "upload.approved"
  | "connected_account.connected"
  | "connected_account.disconnected"
  | "connected_account.expired"
  | "connected_account.refresh_failed";

interface NewEvent {
  /** An id, or a SQL value that is one inside the batch. */
  team: number | SQL;
  name: EventName;
  data: Record<string, unknown>;
}

/** `data` as SQL, with values that only the batch itself knows, such as the id of a new row. */
function dataSql(data: Record<string, unknown>): SQL {
  const known = Object.entries(data).filter(([, value]) => !isSql(value));
  return Object.entries(data)
    .filter((entry): entry is [string, SQL] => isSql(entry[1]))
    .reduce(
      (json, [name, value]) => sql`json_set(${json}, ${`$.${name}`}, ${value})`,
      sql`${JSON.stringify(Object.fromEntries(known))}`,
    );
}

const isSql = (value: unknown): value is SQL =>
  typeof value === "object" && value !== null && "queryChunks" in value;

/** The row of an event, for the batch of the change it tells of; only where `condition` holds. */
export function emit(
  deps: Pick<Deps, "newEventId" | "now">,
  event: NewEvent,
  condition: SQL = sql`TRUE`,
): Query<number> {
  return sqlWrite(sql`INSERT INTO events (team_id, id, name, data, created_at)
    SELECT ${event.team}, ${deps.newEventId()}, ${event.name}, ${dataSql(event.data)},
      ${deps.now().getTime()} WHERE ${condition}`);
}

/** As `emit`, but only if the statement just before it in the batch changed a row. */
export function emitIfChanged(
  deps: Pick<Deps, "newEventId" | "now">,
  event: NewEvent,
): Query<number> {
  return emit(deps, event, sql`changes() > 0`);
}
