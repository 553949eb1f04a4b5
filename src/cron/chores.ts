import { sql } from "drizzle-orm";
import { sqlQuery, sqlWrite } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import { renewLogins } from "../features/accounts/renew.ts";
import { removeUnusedObjects } from "../features/media/clean-up.ts";

/**
 * One page of a chore that goes on from `cursor`; null begins it. Answers where the next page begins,
 * null at the end. A page may be done twice.
 */
type Chore = (deps: Deps, cursor: string | null) => Promise<string | null>;

const CHORES: Record<string, Chore> = {
  "renew logins": renewLogins,
  "remove unused objects": removeUnusedObjects,
};

/** UTC hours in which the ticks do the work of the night, a page each. Source: spec, "Analytics". */
const NIGHT = { from: 3, to: 6 } as const;

/** A page of every chore that is not done for this night. */
export async function runChores(deps: Deps): Promise<void> {
  const now = deps.now();
  if (now.getUTCHours() < NIGHT.from || now.getUTCHours() >= NIGHT.to) return;
  const day = now.toISOString().slice(0, "2026-11-20".length);
  const places = sqlQuery(sql`SELECT name, cursor FROM chores WHERE day = ${day}`, (row) => ({
    name: String(row.name),
    cursor: row.cursor as string | null,
  }));
  const [begun] = await deps.db.run([places]);
  for (const [name, chore] of Object.entries(CHORES)) {
    const place = begun.find((known) => known.name === name);
    if (place?.cursor === null) continue;
    try {
      const next = await chore(deps, place?.cursor ?? null);
      await deps.db.run([
        sqlWrite(
          sql`INSERT OR REPLACE INTO chores (name, day, cursor) VALUES (${name}, ${day}, ${next})`,
        ),
      ]);
      if (next === null) deps.log({ event: "chore.done", chore: name });
    } catch (error) {
      // The next tick tries that page again; posts that are due do not wait for it.
      deps.log({ event: "chore.failed", chore: name, error: String(error) });
    }
  }
}
