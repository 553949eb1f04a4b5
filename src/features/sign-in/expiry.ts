import { DAY } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { removeEndedInvites } from "../teams/repo/invites.ts";
import { removeEndedSessions } from "./repo/sessions.ts";
import { removeEndedVerifications } from "./repo/verifications.ts";

const SLICE = 500;

/** An ended invite's page can explain what happened this long. */
const INVITES_KEPT_MS = 30 * DAY;

export async function forgetEndedSignIns({ db, now }: Deps): Promise<string | null> {
  const slice = { now: now(), max: SLICE };
  const removed = await db.run([
    removeEndedSessions(slice),
    removeEndedVerifications(slice),
    removeEndedInvites({ before: new Date(now().getTime() - INVITES_KEPT_MS), max: SLICE }),
  ]);
  return removed.includes(SLICE) ? "more" : null;
}
