import type { Deps } from "../deps.ts";
import { forgetOldLines } from "../features/activity/expiry.ts";
import { forgetOldFigures } from "../features/analytics/expiry.ts";
import { COLLECTION_CALLS, collectAll } from "../features/analytics/nightly.ts";
import { ARCHIVING_CALLS, archivePosts, membersAtOnce } from "../features/archiving/nightly.ts";
import { BACKUP_CALLS, backUp } from "../features/backup/nightly.ts";
import { WATCH_BACKUPS_CALLS, watchBackups } from "../features/backup/watch.ts";
import { forgetEndedLinks, forgetOldConsents } from "../features/connect/expiry.ts";
import { checkCredits } from "../features/credits/nightly.ts";
import { forgetOldDrafts } from "../features/drafts/expiry.ts";
import { forgetOldEvents } from "../features/events/expiry.ts";
import { WAKING_CALLS, wakeDueFeeds } from "../features/feeds/wake.ts";
import { MEASURING_CALLS, measureDatabase } from "../features/health/nightly.ts";
import { forgetOldAnswers } from "../features/idempotency/expiry.ts";
import { ERASING_CALLS, eraseTeams } from "../features/leaving/erase.ts";
import { forgetOldClicks } from "../features/links/expiry.ts";
import { RENEWAL_CALLS, renewLogins } from "../features/logins/renew.ts";
import { reencryptLogins } from "../features/logins/secrets.ts";
import { WATCH_CALLS, watchLogins } from "../features/logins/watch.ts";
import { removeUnusedObjects } from "../features/media/clean-up.ts";
import { reencryptTargets } from "../features/notices/secrets.ts";
import { forgetEndedPrograms } from "../features/oauth/expiry.ts";
import { expirePlans } from "../features/plans/expiry.ts";
import { endLeftItems, forgetOldFirings } from "../features/pools/expiry.ts";
import { clearPresigned } from "../features/presign/clean-up.ts";
import { expireFiles } from "../features/publishing/media-expiry.ts";
import { forgetEndedRehearsals } from "../features/rehearsal/expiry.ts";
import { forgetEndedReviews } from "../features/review/expiry.ts";
import { forgetEndedSignIns } from "../features/sign-in/expiry.ts";
import { forgetOldAttempts } from "../features/webhooks/expiry.ts";
import { reencryptSecrets } from "../features/webhooks/secrets.ts";
import { chorePlaces, keepPlace, keepRounds } from "./repo.ts";
import {
  HOURLY,
  HOURLY_PAGE,
  isHourTurning,
  NIGHT_AND_MORNING,
  NIGHTLY,
  NIGHTLY_CONTINUED,
  NIGHTLY_SLICES,
  type Rhythm,
  roundsAt,
} from "./rounds.ts";

interface Chore {
  rhythm: Rhythm;
  /** Works on one page of rows. The cursor is null before the first and after the last page. A page may run twice. */
  page(deps: Deps, cursor: string | null): Promise<string | null>;
  /** Maximum number of subrequests for one page. */
  calls: number;
  /** Where it differs from the rhythm's. */
  pagesPerTick?(deps: Deps): number;
}

const CHORES: Record<string, Chore> = {
  "renew logins": { rhythm: HOURLY_PAGE, page: renewLogins, calls: RENEWAL_CALLS },
  "watch logins": { rhythm: HOURLY_PAGE, page: watchLogins, calls: WATCH_CALLS },
  "re-encrypt secrets": { rhythm: NIGHTLY_SLICES, page: reencryptSecrets, calls: 2 },
  "re-encrypt targets": { rhythm: NIGHTLY_SLICES, page: reencryptTargets, calls: 2 },
  "re-encrypt logins": { rhythm: NIGHTLY_SLICES, page: reencryptLogins, calls: 3 },
  "remove unused objects": { rhythm: NIGHTLY, page: removeUnusedObjects, calls: 3 },
  // Calls that abort uploads are not counted, because Cloudflare's own services allow 1,000 calls.
  "clear presigned files": { rhythm: NIGHTLY, page: clearPresigned, calls: 5 },
  // Calls for thumbnails go to Cloudflare's own services and are not counted.
  "expire files": { rhythm: HOURLY, page: expireFiles, calls: 5 },
  "erase teams": { rhythm: HOURLY, page: eraseTeams, calls: ERASING_CALLS },
  "end plans": { rhythm: HOURLY, page: expirePlans, calls: 2 },
  "check credits": { rhythm: NIGHTLY, page: checkCredits, calls: 1 },
  "forget old answers": { rhythm: NIGHTLY_SLICES, page: forgetOldAnswers, calls: 1 },
  "forget old events": { rhythm: NIGHTLY_SLICES, page: forgetOldEvents, calls: 1 },
  "forget old activity": { rhythm: NIGHTLY_SLICES, page: forgetOldLines, calls: 1 },
  "forget old drafts": { rhythm: NIGHTLY_SLICES, page: forgetOldDrafts, calls: 1 },
  "forget consents": { rhythm: NIGHTLY_SLICES, page: forgetOldConsents, calls: 1 },
  "forget ended sign-ins": { rhythm: NIGHTLY_SLICES, page: forgetEndedSignIns, calls: 1 },
  "forget ended links": { rhythm: NIGHTLY_SLICES, page: forgetEndedLinks, calls: 1 },
  "forget ended reviews": { rhythm: NIGHTLY_SLICES, page: forgetEndedReviews, calls: 1 },
  "forget ended rehearsals": {
    rhythm: NIGHTLY_SLICES,
    page: forgetEndedRehearsals,
    calls: 1,
  },
  "forget old attempts": { rhythm: NIGHTLY_SLICES, page: forgetOldAttempts, calls: 1 },
  "end pool items": { rhythm: HOURLY, page: endLeftItems, calls: 1 },
  "wake feeds": { rhythm: HOURLY_PAGE, page: wakeDueFeeds, calls: WAKING_CALLS },
  "forget old firings": { rhythm: NIGHTLY_SLICES, page: forgetOldFirings, calls: 1 },
  "forget old figures": { rhythm: NIGHTLY_SLICES, page: forgetOldFigures, calls: 1 },
  "forget old clicks": { rhythm: NIGHTLY_SLICES, page: forgetOldClicks, calls: 1 },
  "forget ended programs": { rhythm: NIGHTLY_SLICES, page: forgetEndedPrograms, calls: 1 },
  "measure database": { rhythm: NIGHTLY, page: measureDatabase, calls: MEASURING_CALLS },
  "archive posts": {
    rhythm: NIGHTLY,
    page: archivePosts,
    calls: ARCHIVING_CALLS,
    pagesPerTick: membersAtOnce,
  },
  "collect analytics": { rhythm: NIGHT_AND_MORNING, page: collectAll, calls: COLLECTION_CALLS },
  "watch backups": { rhythm: NIGHTLY, page: watchBackups, calls: WATCH_BACKUPS_CALLS },
  "back up": { rhythm: NIGHTLY_CONTINUED, page: backUp, calls: BACKUP_CALLS },
};

/** Runs the chores that are due while subrequests are left. At least one page runs. */
export async function runChores(deps: Deps, allows: (calls: number) => boolean): Promise<void> {
  const now = deps.now();
  const [places] = await deps.db.run([chorePlaces()]);
  let areAllDone = true;
  let isFirst = true;
  for (const [name, { rhythm, page, calls, pagesPerTick }] of Object.entries(CHORES)) {
    const round = rhythm.roundAt(now);
    const place = places.find((one) => one.name === name);
    const isThisRound = place?.round === round;
    if (isThisRound && place.cursor === null) continue;
    let cursor = isThisRound || rhythm.isContinued ? (place?.cursor ?? null) : null;
    let isDone = false;
    try {
      const most = pagesPerTick?.(deps) ?? rhythm.pagesPerTick;
      const pages = isThisRound && isHourTurning(now) ? 0 : most;
      for (let i = 0; i < pages && !isDone; i++) {
        // One more call stores the cursor.
        if (!isFirst && !allows(calls + 1)) break;
        isFirst = false;
        cursor = await page(deps, cursor);
        await deps.db.run([keepPlace({ name, round, cursor })]);
        isDone = cursor === null;
      }
      if (isDone) deps.log({ event: "chore.done", chore: name });
    } catch (error) {
      deps.log({ event: "chore.failed", chore: name, error: String(error) });
    }
    areAllDone &&= isDone;
  }
  if (areAllDone) await deps.db.run([keepRounds(roundsAt(now))]);
}
