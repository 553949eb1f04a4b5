import { listFilters, loadPosts } from "../costs/workload.ts";
import type { Bundle } from "./bundle.ts";
import { type Instance, startAkimbo } from "./instance.ts";
import { atMost, note, type Row } from "./report.ts";
import { createTeam, type Team } from "./team.ts";
import type { Workspace } from "./workspace.ts";

const LIMIT = 100;
/** Rows of a page: posts, their accounts, and this many more, however many there are in all. */
const SPARE_ROWS = 80;
const REPEATS = 3;
/** A word in no post, so that every post is searched; and one with an umlaut, searched in several spellings. */
const SEARCHES = ["zebra", "Ärger"];
const MAX_SEARCH_MS = 250;
const OTHER_TEAMS = 1_000;
const SLICE = 250_000;

/**
 * Stands before the Worker and tells what each answer cost, in headers. It meters below D1's API, a
 * private detail of the runtime. Calls have to come one at a time.
 */
const METER = `
import worker from "./worker.js";
export * from "./worker.js";
let rows = 0;
let ms = 0;
const known = new WeakSet();
function meter(door) {
  if (known.has(door)) return;
  known.add(door);
  const { fetcher } = door;
  door.fetcher = { fetch: async (url, init) => {
    const startedAt = performance.now();
    const response = await fetcher.fetch(url, init);
    const results = [await response.clone().json()].flat();
    ms += performance.now() - startedAt;
    for (const { meta } of results) rows += meta.rows_read;
    return response;
  } };
}
export default { ...worker, fetch: async (request, env, context) => {
  meter(env.DB);
  meter(env.DB.alwaysPrimarySession);
  rows = 0;
  ms = 0;
  const response = await worker.fetch(request, env, context);
  const headers = new Headers(response.headers);
  headers.set("bench-rows", String(rows));
  headers.set("bench-ms", String(ms));
  return new Response(response.body, { status: response.status, headers });
} };`;

interface Cost {
  rows: number;
  /** Database time, the way there and back included; the lowest of three. */
  ms: number;
}

async function costOf(instance: Instance, team: Team, query: object): Promise<Cost> {
  const search = new URLSearchParams({ ...query, limit: String(LIMIT) });
  const cost: Cost = { rows: 0, ms: Number.POSITIVE_INFINITY };
  for (let i = 0; i < REPEATS; i++) {
    const answer = await fetch(`${instance.url}/api/v1/upload?${search}`, {
      headers: { "x-api-key": team.token },
    });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`GET /upload?${search} answered ${answer.status}`);
    cost.rows = Number(answer.headers.get("bench-rows"));
    cost.ms = Math.min(cost.ms, Number(answer.headers.get("bench-ms")));
  }
  return cost;
}

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
      alone.set(key(team, name), (await costOf(instance, team, query)).rows);
    }
  }

  await fill(large.id + 1, OTHER_TEAMS, sizes.others);
  const rows: Row[] = [];
  let grown = 0;
  for (const { team, size } of teams) {
    for (const { name, query, indexed, sharesEntries } of filters) {
      const cost = await costOf(instance, team, query);
      grown = Math.max(grown, cost.rows - (alone.get(key(team, name)) ?? 0));
      const bar = 2 * LIMIT + SPARE_ROWS + indexed(size) * (sharesEntries ? 2 : 1);
      const what = `${count(size)} posts, ${name}${sharesEntries ? " *" : ""}`;
      const row = atMost(what, cost.rows, bar, " rows");
      rows.push({ ...row, measured: `${row.measured}, ${cost.ms.toFixed(1)} ms` });
    }
    for (const search of SEARCHES) {
      const cost = await costOf(instance, team, { search });
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
