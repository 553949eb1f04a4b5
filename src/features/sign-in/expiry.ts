import type { Deps } from "../../deps.ts";
import { removeEndedSessions } from "../auth/repo/sessions.ts";
import { removeEndedVerifications } from "./repo/links.ts";

/** Rows removed by one statement, at most. */
const SLICE = 500;

/** Removes a slice of the sessions, links and challenges that are over; null once none is left. */
export async function forgetEndedSignIns({ db, now }: Deps): Promise<string | null> {
  const slice = { now: now(), most: SLICE };
  const removed = await db.run([removeEndedSessions(slice), removeEndedVerifications(slice)]);
  return removed.includes(SLICE) ? "more" : null;
}
