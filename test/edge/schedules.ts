import { nextTick } from "../../src/cli/ticker.ts";
import type { Account } from "./account.ts";
import { chooseVersion } from "./choose-version.ts";
import { matchesCron } from "./cron.ts";
import type { Runner } from "./runner.ts";

/** Runs the schedules of all Workers that are due in the minute; returns how many ran well. */
export async function runSchedules(
  { state }: Account,
  runner: Runner,
  at: Date,
): Promise<{ cron: string; outcome: string }[]> {
  const ran: { cron: string; outcome: string }[] = [];
  for (const { name, schedules } of state.scripts) {
    for (const cron of schedules.filter((one) => matchesCron(one, at))) {
      const { outcome } = await runner.use(async (running) => {
        const chosen = chooseVersion(
          running.filter(({ script }) => script.name === name),
          {},
        );
        return chosen ? await runner.schedule(chosen.worker, cron, at) : { outcome: "missing" };
      });
      ran.push({ cron, outcome });
    }
  }
  return ran;
}

export function startSchedules(account: Account, runner: Runner): void {
  const wait = (minuteMs: number) => {
    setTimeout(() => {
      runSchedules(account, runner, new Date(minuteMs)).catch(console.error);
      wait(nextTick(minuteMs, Date.now()));
    }, minuteMs - Date.now());
  };
  wait(nextTick(0, Date.now()));
}
