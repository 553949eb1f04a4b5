import { quote } from "../../src/cli/sql.ts";
import { DAYS, POSTS, yearOf } from "../costs/years.ts";
import type { Bundle } from "./bundle.ts";
import { startAkimbo } from "./instance.ts";
import { METER, pageCost } from "./metered.ts";
import { atMost, note, type Row } from "./report.ts";
import { createTeam } from "./team.ts";
import type { Workspace } from "./workspace.ts";

const ACCOUNTS = 100;
const MAX_ROWS = 2_000;
const MAX_SQL_MS = 25;

/** Measures the overview of a team whose accounts have been read for a year, with all their posts. */
export async function measureOverview(workspace: Workspace, bundle: Bundle): Promise<Row[]> {
  const instance = await startAkimbo(workspace, { bundle, entry: METER });
  const team = await createTeam(instance, 1);
  const { series, summary } = yearOf();
  const ids = quote(JSON.stringify(Array.from({ length: ACCOUNTS }, (_, i) => `acc_bench_${i}`)));
  await instance.store([
    `INSERT INTO accounts (id, team_id, platform, platform_account_id, account_name, mode, status,
       connected_at) SELECT value, ${team.id}, 'youtube', value, 'A', 'sandbox', 'active', 0
       FROM json_each(${ids})`,
    `INSERT INTO analytics SELECT ${team.id}, value, 1, NULL, NULL, 1, '[]', ${quote(series)},
       ${quote(summary)} FROM json_each(${ids})`,
  ]);
  const cost = await pageCost(instance, team, "/analytics/overview", {});
  await instance.stop();
  const what = `${ACCOUNTS} accounts, ${DAYS} days and ${POSTS} posts each`;
  return [
    atMost(what, cost.rows, MAX_ROWS, " rows"),
    atMost("… the time of its SQL", cost.sqlMs, MAX_SQL_MS, " ms"),
    note("… with the way of its rows to the Worker", `${cost.ms.toFixed(1)} ms`),
  ];
}
