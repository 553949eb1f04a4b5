import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { createRandom } from "../../src/cli/random.ts";
import { LivePlatform } from "./live-platform.ts";
import { Calendar } from "./month/calendar.ts";
import { judgeMonth } from "./month/judge.ts";
import { People } from "./month/people.ts";
import { buildEarlier, buildToday, noteMigrations } from "./month/scripts.ts";
import { DAY_MS, Service } from "./month/service.ts";
import { createTeams } from "./month/teams.ts";
import { Visitors } from "./month/visitors.ts";
import { startReceiver } from "./receiver.ts";
import type { Verdicts } from "./verdicts.ts";

export interface Month {
  folder: string;
  seed: number;
  verdicts: Verdicts;
  days: number;
  teams: number;
  postsPerHour: number;
}

/** The next March: in it, summer time begins in America and in Europe. */
function nextMarch(): number {
  const today = new Date();
  const year = today.getUTCFullYear() + (today.getUTCMonth() < 2 ? 0 : 1);
  return Date.UTC(year, 2, 1);
}

/**
 * A month of teams and people in moved time, with an upgrade, daily kills, outages and a lost database. At its end, the
 * ledger and the bill.
 */
export async function playMonth(month: Month): Promise<void> {
  const startedAt = performance.now();
  const random = createRandom(month.seed);
  const platform = new LivePlatform(random);
  platform.isFaulty = false;
  platform.lateMs = 0;
  const origin = await platform.listen();
  const receiver = await startReceiver();
  const earlier = await buildEarlier(month.folder);
  const today = await buildToday(month.folder);
  const start = nextMarch();
  const stateDir = await mkdtemp(join(month.folder, "month-"));
  const service = new Service(start, earlier, stateDir, {
    BACKUP: "on",
    PLATFORM_ORIGINS: JSON.stringify({ "https://public.api.bsky.app": origin }),
    SUBREQUESTS_PER_INVOCATION: "10000",
  });
  try {
    await service.start({ isNew: true });
    await noteMigrations(service, earlier);
    const teams = await createTeams(service, month.teams, origin, receiver);
    const people = new People(teams, random, start + month.days * DAY_MS, origin);
    const visitors = new Visitors(teams, random);
    const scripts = { earlier, today };
    const world = { service, platform, receiver, teams, people, visitors, random, scripts };
    const calendar = new Calendar(month, world);
    await calendar.play();
    await judgeMonth(month.verdicts, { ...world, ...calendar.told, start, days: month.days });
  } finally {
    await service.kill();
    await platform.close();
    await receiver.stop();
  }
  console.log(`  ${((performance.now() - startedAt) / 60_000).toFixed(1)} minutes`);
}
