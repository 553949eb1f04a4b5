import type { Deps } from "../../deps.ts";
import { wakeNotices } from "../../queue/wake.ts";
import { MAX_MESSAGES, OWN_CALLS, sendNotices } from "./deliver.ts";

const LATER_SECONDS = 1;

/** With too few subrequests left, another queue message continues. */
export async function handleNotify(deps: Deps, calls: number): Promise<void> {
  const max = Math.min(MAX_MESSAGES, calls - OWN_CALLS);
  if (max > 0) await sendNotices(deps, max);
  else await wakeNotices(deps, LATER_SECONDS);
}
