/**
 * The Worker of the edge itself, beside those that were uploaded. Their databases and queues lead through it, and the
 * account API reaches databases by it.
 */

import { WorkerEntrypoint } from "cloudflare:workers";
import { Buffer } from "node:buffer";

const SQL_URL = "http://d1/query?resultsFormat=ARRAY_OF_OBJECTS";
const READS = /^\s*(?:--[^\n]*\n\s*)*(?:SELECT|PRAGMA|EXPLAIN)\b/i;
const FREES = /^\s*(?:--[^\n]*\n\s*)*(?:DELETE|DROP)\b/i;
/** One row of bound values: without a query behind it, and with one list of values. */
const WRITES_ONE_ROW = /^\s*(?:INSERT|REPLACE)\b(?!.*\b(?:SELECT|json_each)\b)(?!.*\)\s*,\s*\()/is;

/** The size of each database after its last write. */
const sizes = new Map();

const byteLength = (value) =>
  typeof value === "string"
    ? new TextEncoder().encode(value).length
    : Array.isArray(value)
      ? value.length
      : 8;

/** What D1 refuses and the runtime here does not; null for everything else. */
function findRefusal(id, queries, limits) {
  for (const { sql, params } of queries) {
    const values = (params ?? []).map(byteLength);
    const row = WRITES_ONE_ROW.test(sql) ? values.reduce((sum, size) => sum + size, 0) : 0;
    if (Math.max(row, ...values) > limits.rowBytes) return "string or blob too big: SQLITE_TOOBIG";
    const needsSpace = !READS.test(sql) && !FREES.test(sql);
    if (needsSpace && (sizes.get(id) ?? 0) >= limits.databaseBytes)
      return "Exceeded maximum DB size";
  }
  return null;
}

async function runQuery(env, id, url, init) {
  const queries = [JSON.parse(init.body)].flat();
  const refusal = findRefusal(id, queries, env.LIMITS);
  if (refusal) return Response.json({ success: false, error: refusal }, { status: 500 });
  const response = await env[`D1 ${id}`].fetcher.fetch(url, init);
  if (queries.every(({ sql }) => READS.test(sql))) return response;
  const text = await response.text();
  const size = /.*"size_after":(\d+)/s.exec(text)?.[1];
  if (size) sizes.set(id, Number(size));
  return new Response(text, response);
}

/** Stands before a database as a Worker's binding reaches it. */
export class Database extends WorkerEntrypoint {
  async fetch(request) {
    const { method, headers } = request;
    const init = { method, headers, body: await request.text() };
    return runQuery(this.env, this.ctx.props.id, request.url, init);
  }
}

/** Takes messages, and answers once they are stored. */
export class Queue extends WorkerEntrypoint {
  fetch(request) {
    const url = new URL(request.url);
    url.searchParams.set("queue", this.ctx.props.queue);
    return this.env.NODE.fetch(new Request(url, request));
  }
}

const ROUTES = {
  async query(env, { id, queries }) {
    const init = { method: "POST", body: JSON.stringify(queries) };
    return (await runQuery(env, id, SQL_URL, init)).json();
  },
  async object(env, { method, bucket, key, body }) {
    const objects = env[`R2 ${bucket}`];
    if (method === "put") await objects.put(key, Buffer.from(body, "base64"));
    if (method === "delete") await objects.delete(key);
    const found = method === "get" ? await objects.get(key) : null;
    const bytes = found && Buffer.from(await found.arrayBuffer());
    return { body: bytes?.toString("base64") ?? null };
  },
};

export default {
  async fetch(request, env) {
    const name = new URL(request.url).pathname.slice(1);
    if (name === "queue" || name === "scheduled") return env.HANDLERS.fetch(request);
    try {
      return Response.json(await ROUTES[name](env, await request.json()));
    } catch (error) {
      return Response.json({ thrown: String(error?.stack ?? error) }, { status: 500 });
    }
  },
};
