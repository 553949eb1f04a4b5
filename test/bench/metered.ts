import type { Instance } from "./instance.ts";
import type { Team } from "./team.ts";

const REPEATS = 3;

/**
 * Stands before the Worker and tells what each answer cost, in headers. It meters below D1's API, a
 * private detail of the runtime. Calls have to come one at a time.
 */
export const METER = `
import worker from "./worker.js";
export * from "./worker.js";
let rows = 0;
let ms = 0;
let sqlMs = 0;
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
    for (const { meta } of results) {
      rows += meta.rows_read;
      sqlMs += meta.duration;
    }
    return response;
  } };
}
export default { ...worker, fetch: async (request, env, context) => {
  meter(env.DB);
  meter(env.DB.alwaysPrimarySession);
  rows = 0;
  ms = 0;
  sqlMs = 0;
  const response = await worker.fetch(request, env, context);
  const headers = new Headers(response.headers);
  headers.set("bench-rows", String(rows));
  headers.set("bench-ms", String(ms));
  headers.set("bench-sql-ms", String(sqlMs));
  return new Response(response.body, { status: response.status, headers });
} };`;

export interface Cost {
  rows: number;
  /** Database time, the way there and back included; the lowest of three. */
  ms: number;
  /** The statements alone, as the database tells; the lowest of three. */
  sqlMs: number;
}

/** Reads a list as a team does, from an instance behind `METER`. */
export async function pageCost(
  { url }: Instance,
  { token }: Team,
  path: string,
  query: object,
): Promise<Cost> {
  const search = new URLSearchParams(Object.entries(query).map(([name, one]) => [name, `${one}`]));
  const cost: Cost = { rows: 0, ms: Number.POSITIVE_INFINITY, sqlMs: Number.POSITIVE_INFINITY };
  for (let i = 0; i < REPEATS; i++) {
    const answer = await fetch(`${url}/api/v1${path}?${search}`, {
      headers: { "x-api-key": token },
    });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`GET ${path}?${search} answered ${answer.status}`);
    cost.rows = Number(answer.headers.get("bench-rows"));
    cost.ms = Math.min(cost.ms, Number(answer.headers.get("bench-ms")));
    cost.sqlMs = Math.min(cost.sqlMs, Number(answer.headers.get("bench-sql-ms")));
  }
  return cost;
}
