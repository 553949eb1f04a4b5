import { sql } from "drizzle-orm";
import { HOUR, MINUTE } from "../core/time.ts";
import { orm, type Query, sqlQuery, sqlWrite } from "../db/client.ts";
import { rowReader, valueReader } from "../db/rows.ts";
import type { Deps } from "../deps.ts";
import { reencryptLogins } from "../features/accounts/reencrypt.ts";
import { renewLogins } from "../features/accounts/renew.ts";
import { checkCredits } from "../features/credits/service.ts";
import { forgetOldEvents } from "../features/events/expiry.ts";
import { forgetOldAnswers } from "../features/idempotency/expiry.ts";
import { removeUnusedObjects } from "../features/media/clean-up.ts";
import { expireFiles } from "../features/uploads/media-expiry.ts";
import { chores } from "./table.ts";

/**
 * One page of a chore that goes on from `cursor`; null begins it. Answers where the next page begins,
 * null at the end. A page may be done twice.
 */
type Page = (deps: Deps, cursor: string | null) => Promise<string | null>;

/** How often a chore is done: once in each of its rounds. */
interface Rhythm {
  /**
   * Name of the round that began last, by `now`. Until it is done each tick works for it: what a sleeping
   * instance has missed is made up for when it wakes.
   */
  roundAt(now: Date): string;
  pagesPerTick: number;
  /** Returns true for a round that ran out of time to be finished by the next; else that begins anew. */
  isContinued: boolean;
}

/** Hour of the day, UTC, at which the work of the night begins. Source: spec, "Analytics". */
const NIGHT_BEGINS_MS = 3 * HOUR;

const NIGHTLY: Rhythm = {
  roundAt: (now) =>
    new Date(now.getTime() - NIGHT_BEGINS_MS).toISOString().slice(0, "2026-11-20".length),
  pagesPerTick: 1,
  isContinued: false,
};

/** For chores whose pages are one short statement each. */
const NIGHTLY_SLICES: Rhythm = { ...NIGHTLY, pagesPerTick: 10 };

/** Minute of the hour at which its work begins: off the full hour, when most posts are due. */
const HOUR_BEGINS_MS = 17 * MINUTE;

const HOURLY: Rhythm = {
  roundAt: (now) =>
    new Date(now.getTime() - HOUR_BEGINS_MS).toISOString().slice(0, "2026-11-20T14".length),
  pagesPerTick: 5,
  isContinued: true,
};

/** Around the full hour a round that has begun rests, or a long one would meet the posts of each. */
const rests = (now: Date): boolean => [59, 0, 1].includes(now.getUTCMinutes());

const CHORES: Record<string, { rhythm: Rhythm; page: Page }> = {
  "renew logins": { rhythm: NIGHTLY, page: renewLogins },
  "remove unused objects": { rhythm: NIGHTLY, page: removeUnusedObjects },
  "expire files": { rhythm: HOURLY, page: expireFiles },
  "check credits": { rhythm: NIGHTLY, page: checkCredits },
  "forget old answers": { rhythm: NIGHTLY_SLICES, page: forgetOldAnswers },
  "forget old events": { rhythm: NIGHTLY_SLICES, page: forgetOldEvents },
  "re-encrypt logins": { rhythm: NIGHTLY_SLICES, page: reencryptLogins },
};

/** A row of the table for all chores together: which of their rounds are done. */
const ALL = "all";

/** The rounds of all rhythms that began last, as one text. */
const roundsAt = (now: Date): string => `${NIGHTLY.roundAt(now)} ${HOURLY.roundAt(now)}`;

/** The rounds that all chores are done with: one row, to be read along with something else. */
export const roundsDone = (): Query<string[]> =>
  sqlQuery(sql`SELECT day FROM chores WHERE name = ${ALL}`, valueReader(chores.day));

/** How far a chore has come: `cursor` null, the round is done. The column `day` holds the round. */
const choresBegun = () =>
  sqlQuery(
    orm.select().from(chores),
    rowReader({ name: chores.name, round: chores.day, cursor: chores.cursor }),
  );

const keepPlace = (name: string, round: string, cursor: string | null): Query<number> =>
  sqlWrite(
    sql`INSERT OR REPLACE INTO chores (name, day, cursor) VALUES (${name}, ${round}, ${cursor})`,
  );

/**
 * Does some pages of every chore that is not done for its round.
 *
 * @param done as `roundsDone` read it
 */
export async function runChores(deps: Deps, done: readonly string[]): Promise<void> {
  const now = deps.now();
  if (done.includes(roundsAt(now))) return;
  const [begun] = await deps.db.run([choresBegun()]);
  let areAllDone = true;
  for (const [name, { rhythm, page }] of Object.entries(CHORES)) {
    const round = rhythm.roundAt(now);
    const place = begun.find((known) => known.name === name);
    const isThisRound = place?.round === round;
    if (isThisRound && place.cursor === null) continue;
    let cursor = isThisRound || rhythm.isContinued ? (place?.cursor ?? null) : null;
    let isDone = false;
    try {
      const pages = isThisRound && rests(now) ? 0 : rhythm.pagesPerTick;
      for (let i = 0; i < pages && !isDone; i++) {
        cursor = await page(deps, cursor);
        await deps.db.run([keepPlace(name, round, cursor)]);
        isDone = cursor === null;
      }
      if (isDone) deps.log({ event: "chore.done", chore: name });
    } catch (error) {
      // The next tick tries that page again; posts that are due do not wait for it.
      deps.log({ event: "chore.failed", chore: name, error: String(error) });
    }
    areAllDone &&= isDone;
  }
  if (areAllDone) await deps.db.run([keepPlace(ALL, roundsAt(now), null)]);
}
