import { sql } from "drizzle-orm";
import { prepared, preparedWrite } from "../db/client.ts";
import { rowReader, valueReader } from "../db/rows.ts";
import { chores } from "./table.ts";

/** Name of the row with the rounds that all chores have done. */
const ALL = "all";

const allRounds = prepared(
  () => sql`SELECT day FROM chores WHERE name = ${ALL}`,
  valueReader(chores.round),
);
export const roundsDone = () => allRounds({});

const allPlaces = prepared(() => sql`SELECT * FROM chores`, rowReader(chores));
export const chorePlaces = () => allPlaces({});

/** A null `cursor` means that the round is done. */
export const keepPlace = preparedWrite<typeof chores.$inferSelect>(
  ({ name, round, cursor }) =>
    sql`INSERT OR REPLACE INTO chores (name, day, cursor) VALUES (${name}, ${round}, ${cursor})`,
);

export const keepRounds = (round: string) => keepPlace({ name: ALL, round, cursor: null });
