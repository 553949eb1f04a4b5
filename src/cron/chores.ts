import type { Deps } from "../deps.ts";
import { reencryptLogins } from "../features/accounts/reencrypt.ts";
import { renewLogins } from "../features/accounts/renew.ts";
import { checkCredits } from "../features/credits/service.ts";
import { forgetOldEvents } from "../features/events/expiry.ts";
import { forgetOldAnswers } from "../features/idempotency/expiry.ts";
import { eraseTeams } from "../features/leaving/erase.ts";
import { removeUnusedObjects } from "../features/media/clean-up.ts";
import { forgetEndedSignIns } from "../features/sign-in/expiry.ts";
import { expireFiles } from "../features/uploads/media-expiry.ts";
import { choresBegun, keepPlace, keepRounds } from "./repo.ts";
import { HOURLY, NIGHTLY, NIGHTLY_SLICES, type Rhythm, rests, roundsAt } from "./rounds.ts";

/**
 * Does one page of a chore from `cursor` on; null begins it. Returns where the next page begins, null at
 * the end. A page may be done twice.
 */
type Page = (deps: Deps, cursor: string | null) => Promise<string | null>;

const CHORES: Record<string, { rhythm: Rhythm; page: Page }> = {
  "renew logins": { rhythm: NIGHTLY, page: renewLogins },
  "remove unused objects": { rhythm: NIGHTLY, page: removeUnusedObjects },
  "expire files": { rhythm: HOURLY, page: expireFiles },
  "erase teams": { rhythm: HOURLY, page: eraseTeams },
  "check credits": { rhythm: NIGHTLY, page: checkCredits },
  "forget old answers": { rhythm: NIGHTLY_SLICES, page: forgetOldAnswers },
  "forget old events": { rhythm: NIGHTLY_SLICES, page: forgetOldEvents },
  "forget ended sign-ins": { rhythm: NIGHTLY_SLICES, page: forgetEndedSignIns },
  "re-encrypt logins": { rhythm: NIGHTLY_SLICES, page: reencryptLogins },
};

/** Does some pages of every chore that is not done for its round. */
export async function runChores(deps: Deps): Promise<void> {
  const now = deps.now();
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
        await deps.db.run([keepPlace({ name, round, cursor })]);
        isDone = cursor === null;
      }
      if (isDone) deps.log({ event: "chore.done", chore: name });
    } catch (error) {
      // The next tick tries that page again; posts that are due do not wait for it.
      deps.log({ event: "chore.failed", chore: name, error: String(error) });
    }
    areAllDone &&= isDone;
  }
  if (areAllDone) await deps.db.run([keepRounds(roundsAt(now))]);
}
