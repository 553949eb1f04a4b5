import { DAY } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { forgetConsents } from "./repo/consents.ts";

/** Rows removed by one statement, at most. */
const SLICE = 500;

/** How long a try is remembered after its end, so that its page can say what became of it. */
const KEPT_MS = DAY;

/** Removes up to 500 tries that ended more than a day ago; null once none is left. */
export async function forgetOldConsents({ db, now }: Deps): Promise<string | null> {
  const before = new Date(now().getTime() - KEPT_MS);
  const [removed] = await db.run([forgetConsents({ before, most: SLICE })]);
  return removed === SLICE ? "more" : null;
}
