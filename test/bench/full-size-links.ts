import { keptLinks, LINK_PAGES, loadLinks } from "../costs/workload.ts";
import type { Bundle } from "./bundle.ts";
import type { Sizes } from "./full-size.ts";
import { startAkimbo } from "./instance.ts";
import { METER, pageCost } from "./metered.ts";
import { atMost, type Row } from "./report.ts";
import { createTeam, type Team } from "./team.ts";
import type { Workspace } from "./workspace.ts";

/** Rows of a page: links, their domains, and this many more, however many there are in all. */
const SPARE_ROWS = 80;
const OTHER_TEAMS = 1_000;
const SLICE = 250_000;

/** Measures pages of short links of a small and of a large team, in a database full of other teams' links. */
export async function measureLinkPages(
  workspace: Workspace,
  bundle: Bundle,
  sizes: Sizes,
): Promise<Row[]> {
  const instance = await startAkimbo(workspace, { bundle, entry: METER });
  const teams = [
    { team: await createTeam(instance, 1), size: sizes.small },
    { team: await createTeam(instance, 2), size: sizes.large },
  ];
  let firstId = 1;
  const fill = async (firstTeam: number, count: number, rows: number) => {
    for (let left = rows; left > 0; left -= SLICE) {
      const slice = Math.min(left, SLICE);
      await instance.store(loadLinks({ firstTeam, teams: count, rows: slice, firstId }));
      firstId += slice;
    }
  };
  const others = teams.length + 1;
  await fill(others, OTHER_TEAMS, OTHER_TEAMS);
  for (const { team, size } of teams) await fill(team.id, 1, size);
  const alone = new Map<string, number>();
  const key = (team: Team, name: string) => `${team.id} ${name}`;
  for (const { team } of teams) {
    for (const { name, query } of LINK_PAGES) {
      alone.set(key(team, name), (await pageCost(instance, team, "/short-links", query)).rows);
    }
  }

  await fill(others, OTHER_TEAMS, sizes.others);
  const rows: Row[] = [];
  let grown = 0;
  for (const { team, size } of teams) {
    for (const { name, query, limit } of LINK_PAGES) {
      const cost = await pageCost(instance, team, "/short-links", query);
      grown = Math.max(grown, cost.rows - (alone.get(key(team, name)) ?? 0));
      const bar = 2 * limit + SPARE_ROWS + keptLinks(size);
      const row = atMost(`${shown(size)} links, ${name}`, cost.rows, bar, " rows");
      rows.push({ ...row, measured: `${row.measured}, ${cost.ms.toFixed(1)} ms` });
    }
  }
  await instance.stop();
  return [
    ...rows,
    atMost(`rows more beside ${shown(sizes.others)} links of other teams`, grown, 0),
  ];
}

const shown = (value: number): string => value.toLocaleString("en");
