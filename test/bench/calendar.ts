import { loadPosts } from "../costs/workload.ts";
import type { Bundle } from "./bundle.ts";
import { type Instance, startAkimbo } from "./instance.ts";
import { atMost, note, type Row } from "./report.ts";
import { createTeam, type Team } from "./team.ts";
import type { Workspace } from "./workspace.ts";

const POSTS = 1_000;
const WARM_UP = 20;
const ROUNDS = 101;
const MAX_RATIO = 2;
const DAY_MS = 86_400_000;
/** Half an hour and some, so that all posts stand within three weeks. */
const STEP_MS = 30 * 60_000;

/** Posts with texts and pictures of their own, from now back. */
async function storeMonth(instance: Instance, team: Team, now: number): Promise<void> {
  const words = "Some words that stand in every post and take the room that a caption takes. ";
  await instance.store([
    ...loadPosts({ firstTeam: team.id, teams: 1, rows: POSTS, firstId: 1, from: now }),
    `UPDATE uploads SET sort_at = ${now} - id * ${STEP_MS}, scheduled_for = ${now} - id * ${STEP_MS},
      uploaded_at = CASE status WHEN 'completed' THEN ${now} - id * ${STEP_MS} END,
      description = description || ' ' || replace(hex(zeroblob(5)), '00', '${words}'),
      media = '[{"sha256":"' || printf('%064x', id) || '","kind":"image"}]'`,
  ]);
}

interface Measured {
  path: string;
  headers: Record<string, string>;
}

async function msOf({ url }: Instance, { path, headers }: Measured): Promise<number> {
  const from = performance.now();
  const answer = await fetch(url + path, { headers });
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`GET ${path} answered ${answer.status}`);
  return performance.now() - from;
}

/** The calls take turns, so that a busy moment meets all of them. The first ones load the doors. */
async function mediansOf(instance: Instance, calls: readonly Measured[]): Promise<number[]> {
  const times = calls.map((): number[] => []);
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const [i, call] of calls.entries()) {
      const ms = await msOf(instance, call);
      if (round >= 0) times[i]?.push(ms);
    }
  }
  return times.map((own) => own.sort((a, b) => a - b)[ROUNDS >> 1] ?? 0);
}

/** Compares how long a calendar of 1,000 posts takes with a list of 100 posts, as JSON and as a page. */
export async function measureCalendar(workspace: Workspace, bundle: Bundle): Promise<Row[]> {
  const stateDir = await workspace.memoryFolder();
  const instance = await startAkimbo(workspace, { bundle, stateDir });
  const team = await createTeam(instance, 1);
  const now = Date.now();
  await storeMonth(instance, team, now);
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  const range = `from=${day(now - 30 * DAY_MS)}&to=${day(now + 2 * DAY_MS)}`;
  const token = { "x-api-key": team.token };
  const session = { cookie: team.cookie };
  const month = day(now - 10 * DAY_MS).slice(0, 7);
  const [list = 0, calendar = 0, listPage = 0, calendarPage = 0] = await mediansOf(instance, [
    { path: "/api/v1/upload?limit=100", headers: token },
    { path: `/api/v1/calendar?${range}`, headers: token },
    { path: "/app/uploads?limit=100", headers: session },
    { path: `/app/calendar?month=${month}`, headers: session },
  ]);
  await instance.stop();
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  return [
    note("GET /upload?limit=100", ms(list)),
    note(`GET /calendar of ${POSTS} posts`, ms(calendar)),
    atMost("… ÷ GET /upload?limit=100", calendar / list, MAX_RATIO),
    note("GET /app/uploads?limit=100", ms(listPage)),
    note("GET /app/calendar of a month", ms(calendarPage)),
    atMost("… ÷ GET /app/uploads?limit=100", calendarPage / listPage, MAX_RATIO),
  ];
}
