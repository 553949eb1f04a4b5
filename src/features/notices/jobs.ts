import type { Deps } from "../../deps.ts";
import { wakeNotices } from "../../queue/wake.ts";
import { MAX_MESSAGES, OWN_CALLS, sendNotices } from "./deliver.ts";

const LATER_SECONDS = 1;

/** With too few subrequests left, another queue message continues. */
export async function handleNotify(deps: Deps, calls: number): Promise<void> {
  const most = Math.min(MAX_MESSAGES, calls - OWN_CALLS);
  if (most > 0) await sendNotices(deps, most);
  else await wakeNotices(deps, LATER_SECONDS);
}
