import type { Deps } from "../../deps.ts";
import { LINKS_KEPT_MS } from "./link-rules.ts";
import { forgetLinks } from "./repo/links.ts";

/** Links removed by one statement, at most. */
const SLICE = 500;

/** Removes a slice of the links that ended long ago; null once none is left. */
export async function forgetEndedLinks({ db, now }: Deps): Promise<string | null> {
  const before = new Date(now().getTime() - LINKS_KEPT_MS);
  const [removed] = await db.run([forgetLinks({ before, most: SLICE })]);
  return removed === SLICE ? "more" : null;
}
