import { sql } from "drizzle-orm";
import { prepared, preparedWrite } from "../db/client.ts";
import { rowReader, valueReader } from "../db/rows.ts";
import { chores } from "./table.ts";

/** A row of the table for all chores together: which of their rounds are done. */
const ALL = "all";

/** Reads the rounds that all chores are done with: one row, to be read along with something else. */
const allRounds = prepared(
  () => sql`SELECT day FROM chores WHERE name = ${ALL}`,
  valueReader(chores.round),
);
export const roundsDone = () => allRounds({});

const begun = prepared(() => sql`SELECT * FROM chores`, rowReader(chores));
export const choresBegun = () => begun({});

/** Stores how far a chore has come: with `cursor` null, its round is done. */
export const keepPlace = preparedWrite<typeof chores.$inferSelect>(
  ({ name, round, cursor }) =>
    sql`INSERT OR REPLACE INTO chores (name, day, cursor) VALUES (${name}, ${round}, ${cursor})`,
);

/** Stores that all chores are done with these rounds. */
export const keepRounds = (round: string) => keepPlace({ name: ALL, round, cursor: null });
