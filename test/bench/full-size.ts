import { listFilters, loadPosts } from "../costs/workload.ts";
import type { Bundle } from "./bundle.ts";
import { startAkimbo } from "./instance.ts";
import { METER, pageCost } from "./metered.ts";
import { atMost, note, type Row } from "./report.ts";
import { createTeam, type Team } from "./team.ts";
import type { Workspace } from "./workspace.ts";

const LIMIT = 100;
/** Rows of a page: posts, their accounts, and this many more, however many there are in all. */
const SPARE_ROWS = 80;
/** A word in no post, so that every post is searched; and one with an umlaut, searched in several spellings. */
const SEARCHES = ["zebra", "Ärger"];
const MAX_SEARCH_MS = 250;
const OTHER_TEAMS = 1_000;
const SLICE = 250_000;

export interface Sizes {
  small: number;
  large: number;
  others: number;
}

/** Measures a page of a small and of a large team, in a database full of other teams' posts. */
export async function measureFullSize(
  workspace: Workspace,
  bundle: Bundle,
  sizes: Sizes,
): Promise<Row[]> {
  const instance = await startAkimbo(workspace, { bundle, entry: METER });
  const costOf = (team: Team, query: object) =>
    pageCost(instance, team, "/upload", { ...query, limit: LIMIT });
  const from = Date.now();
  const filters = listFilters(from);
  const small = await createTeam(instance, 1);
  const large = await createTeam(instance, 2);
  let firstId = 1;
  const fill = async (firstTeam: number, teams: number, rows: number) => {
    for (let left = rows; left > 0; left -= SLICE) {
      const slice = Math.min(left, SLICE);
      await instance.store(loadPosts({ firstTeam, teams, rows: slice, firstId, from }));
      firstId += slice;
    }
  };

  const teams = [
    { team: small, size: sizes.small },
    { team: large, size: sizes.large },
  ];
  await fill(large.id + 1, OTHER_TEAMS, OTHER_TEAMS);
  for (const { team, size } of teams) await fill(team.id, 1, size);
  const alone = new Map<string, number>();
  const key = (team: Team, name: string) => `${team.id} ${name}`;
  for (const { team } of teams) {
    for (const { name, query } of filters) {
      alone.set(key(team, name), (await costOf(team, query)).rows);
    }
  }

  await fill(large.id + 1, OTHER_TEAMS, sizes.others);
  const rows: Row[] = [];
  let grown = 0;
  for (const { team, size } of teams) {
    for (const { name, query, indexed, sharesEntries } of filters) {
      const cost = await costOf(team, query);
      grown = Math.max(grown, cost.rows - (alone.get(key(team, name)) ?? 0));
      const bar = 2 * LIMIT + SPARE_ROWS + indexed(size) * (sharesEntries ? 2 : 1);
      const what = `${count(size)} posts, ${name}${sharesEntries ? " *" : ""}`;
      const row = atMost(what, cost.rows, bar, " rows");
      rows.push({ ...row, measured: `${row.measured}, ${cost.ms.toFixed(1)} ms` });
    }
    for (const search of SEARCHES) {
      const cost = await costOf(team, { search });
      const what = `${count(size)} posts, search "${search}"`;
      rows.push(
        atMost(what, cost.rows, 2 * size + SPARE_ROWS, " rows"),
        atMost("… its time in the database", cost.ms, MAX_SEARCH_MS, " ms"),
      );
    }
  }
  await instance.stop();
  return [
    ...rows,
    atMost(`rows more beside ${count(sizes.others)} posts of other teams`, grown, 0),
    note("* pages step over posts that share the index entries", ""),
  ];
}

const count = (value: number) => value.toLocaleString("en");
