import { join } from "node:path";
import { runLocalJob } from "../../src/cli/d1.ts";
import { inProject } from "../../src/cli/paths.ts";
import { DAY } from "../../src/core/time.ts";
import { listFilters } from "../costs/workload.ts";
import type { Bundle } from "./bundle.ts";
import { growBy, growPeople, growPosts } from "./grown.ts";
import { type Instance, startAkimbo } from "./instance.ts";
import { atMost, note, type Row } from "./report.ts";
import { createTeam, type Team } from "./team.ts";
import type { Workspace } from "./workspace.ts";

const POSTS = 1_000;
/** Teams as large as the measured one, so that a night has whole pages of work also before the database is full. */
const SMALL_TEAMS = 20;
const LARGE_POSTS = 5_000;
const FIRST_OTHER = 1_000;
/** Ids of posts of other teams, on both sides of the measured ones. */
const OWN_FIRST_ID = 500_000;
const LATER_FIRST_ID = 1_000_000;
const TICKS = 40;
/** Source: Cloudflare, "Workers limits", free plan. */
const MAX_CALLS_OF_TICK = 50;
/** A statement of a tick that reads more than so many rows is listed: more than a page of a chore has. */
const MANY_ROWS = 2_000;
/** Statements of the dearest tick that are shown. */
const SHOWN_STATEMENTS = 5;

/**
 * Stands before the Worker and answers what a call cost, statement by statement, instead of the call's own answer. It
 * meters below D1's API, a private detail of the runtime. `/tick` stands for the cron trigger, without its messages.
 */
const LEDGER = `
import worker from "./worker.js";
export * from "./worker.js";
let statements = [];
let calls = 0;
const known = new WeakSet();
function meter(door) {
  if (known.has(door)) return;
  known.add(door);
  const { fetcher } = door;
  door.fetcher = { fetch: async (url, init) => {
    calls++;
    const response = await fetcher.fetch(url, init);
    const asked = [JSON.parse(init.body)].flat();
    const results = [await response.clone().json()].flat();
    for (const [i, { meta }] of results.entries()) {
      statements.push({ sql: asked[i]?.sql, rows: meta?.rows_read ?? 0, written: meta?.rows_written ?? 0 });
    }
    return response;
  } };
}
const ignored = { send: async () => {}, sendBatch: async () => {} };
const withoutQueues = (env) => Object.fromEntries(
  Object.entries(env).map(([name, one]) => [name, typeof one?.sendBatch === "function" ? ignored : one]),
);
export default { ...worker, fetch: async (request, env, context) => {
  meter(env.DB);
  meter(env.DB.alwaysPrimarySession);
  statements = [];
  calls = 0;
  let status = 200;
  if (new URL(request.url).pathname === "/tick") {
    await worker.scheduled({ cron: "* * * * *", scheduledTime: Date.now() }, withoutQueues(env), context);
  } else {
    const response = await worker.fetch(request, env, context);
    await response.arrayBuffer();
    status = response.status;
  }
  return Response.json({ status, calls, statements });
} };`;

interface Ledger {
  status: number;
  calls: number;
  statements: { sql: string; rows: number; written: number }[];
}

const rowsOf = ({ statements }: Ledger): number =>
  statements.reduce((sum, one) => sum + one.rows, 0);

interface Door {
  name: string;
  path: string;
  headers?: Record<string, string>;
}

async function ask({ url }: Instance, { path, headers = {} }: Door): Promise<Ledger> {
  const answer = await fetch(url + path, { headers, redirect: "manual" });
  return (await answer.json()) as Ledger;
}

/** `slug` is a link that was not followed yet. */
function doorsOf({ token, cookie }: Team, now: number, slug: number): Door[] {
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  const api = { "x-api-key": token };
  const page = { cookie };
  const get = (path: string): Door => ({
    name: `GET ${path}`,
    path: `/api/v1${path}`,
    headers: api,
  });
  const id = OWN_FIRST_ID + 5;
  return [
    get(`/upload/${id}`),
    ...listFilters(now).map(({ name, query }) => ({
      ...get(`/upload?${new URLSearchParams({ ...query, limit: "100" })}`),
      name: `GET /upload, ${name}`,
    })),
    get("/upload?search=harbour"),
    get("/upload?search=zebra"),
    get(`/calendar?from=${day(now - 30 * DAY)}&to=${day(now)}`),
    get("/analytics/overview"),
    get("/short-links?limit=100"),
    get("/events"),
    get("/media"),
    get("/webhooks"),
    { ...get("/health"), path: "/health" },
    ...[
      ...[
        "",
        "/uploads?limit=100",
        `/uploads/${id}`,
        "/calendar",
        "/analytics",
        "/compose",
        "/accounts",
      ],
      ...[
        "/short-links",
        "/activity",
        "/webhooks",
        "/team",
        "/tokens",
        "/setup",
        "/settings",
        "/reviews",
      ],
    ].map((path) => ({ name: `GET /app${path}`, path: `/app${path}`, headers: page })),
    { name: "a cold redirect", path: `/s/grown-${slug}` },
  ];
}

interface Measured {
  doors: Map<string, Ledger>;
  ticks: Ledger[];
}

/** Asks every door, and then ticks through the chores of a night. */
async function measure(
  instance: Instance,
  team: Team,
  now: number,
  slug: number,
): Promise<Measured> {
  const doors = new Map<string, Ledger>();
  const asked = doorsOf(team, now, slug);
  // The first call of a fresh Worker also asks whether the database is up to date.
  for (const door of asked.slice(0, 1)) await ask(instance, door);
  for (const door of asked) doors.set(door.name, await ask(instance, door));
  const refused = [...doors].filter(([, { status }]) => status >= 400);
  if (refused.length > 0) {
    throw new Error(refused.map(([name, { status }]) => `${name} answered ${status}`).join("; "));
  }
  await instance.store(["DELETE FROM chores"]);
  const ticks: Ledger[] = [];
  for (let i = 0; i < TICKS && ticks.at(-1)?.calls !== 1; i++) {
    ticks.push(await ask(instance, { name: "the tick", path: "/tick" }));
  }
  return { doors, ticks };
}

/** The most rows that each statement of the ticks read. */
function dearest(ticks: readonly Ledger[]): Map<string, number> {
  const most = new Map<string, number>();
  for (const { sql, rows } of ticks.flatMap(({ statements }) => statements)) {
    most.set(sql, Math.max(rows, most.get(sql) ?? 0));
  }
  return most;
}

/** What the statements of one tick read together, the dearest first. */
function sharesOf({ statements }: Ledger): { sql: string; times: number; rows: number }[] {
  return [...Map.groupBy(statements, ({ sql }) => sql)]
    .map(([sql, all]) => ({
      sql,
      times: all.length,
      rows: all.reduce((sum, one) => sum + one.rows, 0),
    }))
    .toSorted((a, b) => b.rows - a.rows);
}

const short = (sql: string): string => sql.replace(/\s+/g, " ").slice(0, 110);

/** Compares what the doors and the ticks cost of a database with a few teams and of a full one. */
export async function measureTenGb(
  workspace: Workspace,
  bundle: Bundle,
  sizeBytes: number,
): Promise<Row[]> {
  const stateDir = await workspace.folder();
  await runLocalJob({ stateDir, migrations: inProject("migrations"), statements: [] });
  const start = () =>
    startAkimbo(workspace, {
      bundle,
      entry: LEDGER,
      stateDir: join(stateDir, "v3"),
      isMigrated: true,
    });
  const now = Date.now();
  const first = await start();
  const team = await createTeam(first, 1);
  await first.stop();
  await growBy(stateDir, (store) => {
    store(growPosts({ team: team.id, firstId: OWN_FIRST_ID, posts: POSTS, now }));
    for (let i = 0; i < SMALL_TEAMS; i++) {
      const other = { team: FIRST_OTHER + i, firstId: 1 + i * POSTS, posts: POSTS, now };
      store([...growPeople(other.team), ...growPosts(other)]);
    }
  });
  const small = await start();
  const few = await measure(small, team, now, OWN_FIRST_ID);
  await small.stop();

  let bytes = 0;
  let teams = 0;
  const begun = performance.now();
  await growBy(stateDir, (store, database) => {
    for (; bytes < sizeBytes; teams++) {
      const other = {
        team: FIRST_OTHER + SMALL_TEAMS + teams,
        firstId: LATER_FIRST_ID + teams * LARGE_POSTS,
        posts: LARGE_POSTS,
        now,
      };
      store([...growPeople(other.team), ...growPosts(other)]);
      const size = database.prepare(
        "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size",
      );
      bytes = Number((size.get() as { bytes: number }).bytes);
    }
  });
  const filled = (performance.now() - begun) / 1_000;
  const full = await start();
  const many = await measure(full, team, now, OWN_FIRST_ID + 1);
  await full.stop();
  return [
    note(
      "the database",
      `${(bytes / 1e9).toFixed(1)} GB, ${(teams * LARGE_POSTS).toLocaleString("en")} posts`,
    ),
    note("… filled in", `${Math.round(filled)} s`),
    ...[...many.doors].flatMap(([name, ledger]): Row[] => {
      const before = few.doors.get(name);
      if (!before) throw new Error(`${name} was not measured before.`);
      return [
        atMost(name, rowsOf(ledger), rowsOf(before), " rows"),
        ...(ledger.calls === before.calls
          ? []
          : [atMost("… round trips", ledger.calls, before.calls)]),
      ];
    }),
    ...tickRows(few.ticks, many.ticks),
  ];
}

function tickRows(few: readonly Ledger[], many: readonly Ledger[]): Row[] {
  const most = (ticks: readonly Ledger[], of: (ledger: Ledger) => number) =>
    Math.max(...ticks.map(of));
  const before = dearest(few);
  return [
    note("ticks of a night", `${many.length}, and ${few.length} before`),
    atMost(
      "a tick: round trips",
      most(many, ({ calls }) => calls),
      MAX_CALLS_OF_TICK,
    ),
    note("a tick: rows", `${most(many, rowsOf)}, and ${most(few, rowsOf)} before`),
    ...many
      .toSorted((a, b) => rowsOf(b) - rowsOf(a))
      .slice(0, 1)
      .flatMap(sharesOf)
      .slice(0, SHOWN_STATEMENTS)
      .map(({ sql, times, rows }) => note(`… ${short(sql)}`, `${rows} rows in ${times}`)),
    ...[...dearest(many)]
      .filter(([sql, rows]) => rows > MANY_ROWS && rows > 2 * (before.get(sql) ?? 0))
      .map(([sql, rows]) =>
        atMost(`… ${short(sql)}`, rows, Math.max(MANY_ROWS, 2 * (before.get(sql) ?? 0)), " rows"),
      ),
  ];
}
