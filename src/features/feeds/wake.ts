import type { Deps } from "../../deps.ts";
import { wakeFeeds } from "../../queue/wake.ts";
import { firstDueFeed } from "./repo.ts";

export const WAKING_CALLS = 2;

/** A message checks some feeds, and sends the next message while more are due. */
export async function wakeDueFeeds(deps: Deps): Promise<null> {
  const [due] = await deps.db.run([firstDueFeed({ now: deps.now() })]);
  if (due.length > 0) await wakeFeeds(deps, 0);
  return null;
}
