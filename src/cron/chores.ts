import { sql } from "drizzle-orm";
import { sqlQuery, sqlWrite } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import { renewLogins } from "../features/accounts/renew.ts";
import { checkCredits } from "../features/credits/service.ts";
import { removeUnusedObjects } from "../features/media/clean-up.ts";
import { expireFiles } from "../features/media/expiry.ts";

/**
 * One page of a chore that goes on from `cursor`; null begins it. Answers where the next page begins,
 * null at the end. A page may be done twice.
 */
type Page = (deps: Deps, cursor: string | null) => Promise<string | null>;

/** When a chore is done: once in each of its rounds. */
interface Rhythm {
  /** The round that this tick works for; null when it is not the time. */
  roundAt(now: Date): string | null;
  pagesPerTick: number;
  /** Whether a round that ran out of time is finished by the next; else that one begins anew. */
  isContinued: boolean;
}

/** The ticks of these UTC hours do the work of the night. Source: spec, "Analytics". */
const NIGHT = { from: 3, to: 6 } as const;

const NIGHTLY: Rhythm = {
  roundAt: (now) =>
    now.getUTCHours() >= NIGHT.from && now.getUTCHours() < NIGHT.to
      ? now.toISOString().slice(0, "2026-11-20".length)
      : null,
  pagesPerTick: 1,
  isContinued: false,
};

/**
 * The ticks of these minutes do the work of the hour: off the full hour, when most posts are due, and
 * few, because each asks the database what is left to do.
 */
const HOURLY_MINUTES = { from: 17, to: 22 } as const;

const HOURLY: Rhythm = {
  roundAt: (now) =>
    now.getUTCMinutes() >= HOURLY_MINUTES.from && now.getUTCMinutes() < HOURLY_MINUTES.to
      ? now.toISOString().slice(0, "2026-11-20T14".length)
      : null,
  pagesPerTick: 5,
  isContinued: true,
};

const CHORES: Record<string, { rhythm: Rhythm; page: Page }> = {
  "renew logins": { rhythm: NIGHTLY, page: renewLogins },
  "remove unused objects": { rhythm: NIGHTLY, page: removeUnusedObjects },
  "expire files": { rhythm: HOURLY, page: expireFiles },
  "check credits": { rhythm: NIGHTLY, page: checkCredits },
};

/** Some pages of every chore whose time it is and that is not done for this round. */
export async function runChores(deps: Deps): Promise<void> {
  const now = deps.now();
  const due = Object.entries(CHORES).flatMap(([name, { rhythm, page }]) => {
    const round = rhythm.roundAt(now);
    return round ? [{ name, rhythm, page, round }] : [];
  });
  if (due.length === 0) return;
  const names = JSON.stringify(due.map(({ name }) => name));
  // The column `day` holds the round.
  const places = sqlQuery(
    sql`SELECT name, day, cursor FROM chores WHERE name IN (SELECT value FROM json_each(${names}))`,
    (row) => ({
      name: String(row.name),
      round: String(row.day),
      cursor: row.cursor as string | null,
    }),
  );
  const [begun] = await deps.db.run([places]);
  for (const { name, rhythm, page, round } of due) {
    const place = begun.find((known) => known.name === name);
    const isThisRound = place?.round === round;
    if (isThisRound && place.cursor === null) continue;
    let cursor = isThisRound || rhythm.isContinued ? (place?.cursor ?? null) : null;
    try {
      for (let pages = 0; pages < rhythm.pagesPerTick; pages++) {
        cursor = await page(deps, cursor);
        await deps.db.run([
          sqlWrite(
            sql`INSERT OR REPLACE INTO chores (name, day, cursor) VALUES (${name}, ${round}, ${cursor})`,
          ),
        ]);
        if (cursor === null) break;
      }
      if (cursor === null) deps.log({ event: "chore.done", chore: name });
    } catch (error) {
      // The next tick tries that page again; posts that are due do not wait for it.
      deps.log({ event: "chore.failed", chore: name, error: String(error) });
    }
  }
}
