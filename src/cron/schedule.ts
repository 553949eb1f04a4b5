import type { Deps } from "../deps.ts";
import { theHeartbeat } from "../durable/heartbeat.ts";
import { wakeDueUploads } from "../features/uploads/publish/sweep.ts";
import { roundsDone, runChores } from "./chores.ts";

/**
 * The one trigger, every minute. Ticks come late, twice, or not at all: what is due is read from the
 * rows, and waking a job twice is harmless.
 */
export async function runSchedule(deps: Deps): Promise<void> {
  const { woken, alongside } = await wakeDueUploads(deps, roundsDone());
  await runChores(deps, alongside);
  await theHeartbeat(deps.heartbeat).beat(deps.now().getTime());
  if (woken > 0) deps.log({ event: "cron.woken", uploads: woken });
}
