import { DAY } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { removeEndedInvites } from "../teams/repo/invites.ts";
import { removeEndedVerifications } from "./repo/links.ts";
import { removeEndedSessions } from "./repo/sessions.ts";

/** Rows removed by one statement, at most. */
const SLICE = 500;

/** How long an invite that is over is remembered, so that its page can say what became of it. */
const INVITES_KEPT_MS = 30 * DAY;

/** Removes a slice of the sessions, links, challenges and invites that are over; null once none is left. */
export async function forgetEndedSignIns({ db, now }: Deps): Promise<string | null> {
  const slice = { now: now(), most: SLICE };
  const removed = await db.run([
    removeEndedSessions(slice),
    removeEndedVerifications(slice),
    removeEndedInvites({ before: new Date(now().getTime() - INVITES_KEPT_MS), most: SLICE }),
  ]);
  return removed.includes(SLICE) ? "more" : null;
}
