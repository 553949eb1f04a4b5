import type { Deps } from "../../deps.ts";

/** Notices of the same seconds are sent together: ten posts that fail at once are one message. */
const GATHER_SECONDS = 10;

/** Sends the message that starts the notices that are due when it arrives. The sweep makes up for a lost message. */
export async function wakeNotices(
  { webhookQueue, log }: Pick<Deps, "webhookQueue"> & Partial<Pick<Deps, "log">>,
  delaySeconds = GATHER_SECONDS,
): Promise<void> {
  try {
    await webhookQueue.sendBatch([{ body: { kind: "notify" }, delaySeconds }]);
  } catch (error) {
    log?.({ event: "notices.not_woken", error: String(error) });
  }
}
