import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";

/** A call to the account: `POST /d1/database`, without the account's prefix. */
interface Call {
  method: string;
  path: string;
  body: string;
}

interface Reply {
  status?: number;
  result?: unknown;
  info?: unknown;
  error?: { code: number; message: string };
}

type Handler = (call: Call, match: RegExpExecArray) => Reply;

export interface FakeCloudflare {
  url: string;
  calls: Call[];
  /** Calls that no handler knows: a deployment must not make any. */
  unknown: Call[];
  secrets: Map<string, string>;
  /** The CORS rules of each bucket. */
  cors: Map<string, object>;
  /** Calls that the token has no right to, such as `PUT /r2/buckets/akimbo-media/cors`. */
  forbidden: Set<string>;
  database: DatabaseSync;
  close(): Promise<void>;
}

const NO_BUCKET: Reply = {
  error: { code: 10006, message: "The specified bucket does not exist." },
};
const NO_CORS: Reply = {
  error: { code: 10059, message: "The CORS configuration does not exist." },
};
const FORBIDDEN: Reply = {
  status: 403,
  error: { code: 10000, message: "Authentication error" },
};
const NO_WORKER: Reply = { error: { code: 10007, message: "This Worker does not exist." } };
const DATABASE_ID = "5f0c8a4e-0000-4000-8000-00000000d1d1";

/** An account on loopback: a real SQL database behind D1, and the rest as lists of names. */
export async function startFakeCloudflare(): Promise<FakeCloudflare> {
  const calls: Call[] = [];
  const unknown: Call[] = [];
  const secrets = new Map<string, string>();
  const database = new DatabaseSync(":memory:");
  const cors = new Map<string, object>();
  const forbidden = new Set<string>();
  const handlers = createHandlers(database, secrets, cors);

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://fake");
    const path = url.pathname.replace(/^\/accounts\/acc/, "") + url.search;
    const call = { method: request.method ?? "GET", path, body: await readBody(request) };
    calls.push(call);
    const isForbidden = forbidden.has(`${call.method} ${call.path}`);
    const reply = isForbidden ? FORBIDDEN : answer(handlers, call);
    if (!reply) unknown.push(call);
    const {
      status,
      result = null,
      info,
      error,
    } = reply ?? {
      status: 404,
      error: { code: 7003, message: `The fake does not know ${call.method} ${call.path}` },
    };
    response.statusCode = status ?? (error ? 404 : 200);
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        success: !error,
        errors: error ? [error] : [],
        messages: [],
        result,
        result_info: info,
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    unknown,
    secrets,
    cors,
    forbidden,
    database,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function answer(handlers: [string, Handler][], call: Call): Reply | null {
  for (const [pattern, handle] of handlers) {
    const match = new RegExp(`^${pattern}$`).exec(`${call.method} ${call.path}`);
    if (match) return handle(call, match);
  }
  return null;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("latin1");
}

function createHandlers(
  database: DatabaseSync,
  secrets: Map<string, string>,
  cors: Map<string, object>,
): [string, Handler][] {
  const databases: { uuid: string; name: string }[] = [];
  const buckets = new Set<string>();
  let worker: { migration_tag: string } | null = null;
  const queues: { queue_id: string; queue_name: string; consumers: object[] }[] = [];

  return [
    ["GET /d1/database\\?.*", () => ({ result: databases })],
    [
      "POST /d1/database",
      ({ body }) => {
        const { name } = JSON.parse(body) as { name: string };
        databases.push({ uuid: DATABASE_ID, name });
        return { result: databases.at(-1) };
      },
    ],
    [
      `POST /d1/database/${DATABASE_ID}/query`,
      ({ body }) => {
        const { sql } = JSON.parse(body) as { sql: string };
        try {
          return { result: runSql(database, sql) };
        } catch (error) {
          return { status: 400, error: { code: 7500, message: String(error) } };
        }
      },
    ],
    [
      "POST /r2/buckets",
      ({ body }) => {
        buckets.add((JSON.parse(body) as { name: string }).name);
        return { result: {} };
      },
    ],
    [
      "GET /r2/buckets/([\\w-]+)/cors",
      (_, [, name = ""]) => {
        if (!buckets.has(name)) return NO_BUCKET;
        return cors.has(name) ? { result: cors.get(name) } : NO_CORS;
      },
    ],
    [
      "PUT /r2/buckets/([\\w-]+)/cors",
      ({ body }, [, name = ""]) => {
        cors.set(name, JSON.parse(body) as object);
        return { result: {} };
      },
    ],
    // Wrangler asks for these once something is forbidden.
    ["GET /user/tokens/verify", () => ({ result: { id: "token", status: "active" } })],
    ["GET /user", () => ({ result: { id: "user", email: "somebody@example.com" } })],
    ["GET /accounts\\?.*", () => ({ result: [{ id: "acc", name: "Somebody" }] })],
    ["GET /memberships\\?.*", () => ({ result: [] })],
    [
      "GET /queues\\?.*",
      ({ path }) => {
        const { searchParams } = new URL(path, "http://fake");
        const names = searchParams.getAll("name");
        const named = queues.filter(
          ({ queue_name }) => names.length === 0 || names.includes(queue_name),
        );
        const counts = { producers_total_count: 1, consumers_total_count: 1 };
        const page = named.map((queue) => ({ ...queue, ...counts }));
        const result = searchParams.get("page") === "1" ? page : [];
        return { result, info: { page: 1, per_page: 100, total_pages: 1 } };
      },
    ],
    [
      "POST /queues",
      ({ body }) => {
        const { queue_name } = JSON.parse(body) as { queue_name: string };
        queues.push({ queue_id: `q-${queue_name}`, queue_name, consumers: [] });
        return { result: queues.at(-1) };
      },
    ],
    [
      "GET /workers/scripts/akimbo/secrets",
      () =>
        worker
          ? { result: [...secrets.keys()].map((name) => ({ name, type: "secret_text" })) }
          : NO_WORKER,
    ],
    [
      "GET /workers/services/akimbo",
      () => (worker ? { result: { default_environment: { script: worker } } } : NO_WORKER),
    ],
    [
      "POST /workers/scripts/akimbo/assets-upload-session",
      () => ({ result: { buckets: [], jwt: "complete" } }),
    ],
    [
      "PUT /workers/scripts/akimbo\\?.*",
      ({ body }) => {
        worker = { migration_tag: "v3" };
        keepSecrets(body, secrets);
        return { result: { id: "akimbo", tag: "tag", startup_time_ms: 1, deployment_id: "d1" } };
      },
    ],
    [
      "GET /r2/buckets/([\\w-]+)",
      (_, [, name = ""]) => (buckets.has(name) ? { result: { name } } : NO_BUCKET),
    ],
    [
      "GET /workers/scripts/akimbo/settings",
      () => (worker ? { result: { bindings: [] } } : NO_WORKER),
    ],
    ["GET /workers/scripts/akimbo/deployments", () => ({ result: { deployments: [] } })],
    ["GET /workers/subdomain", () => ({ result: { subdomain: "example" } })],
    [
      "(?:GET|POST) /workers/scripts/akimbo/subdomain",
      () => ({ result: { enabled: true, previews_enabled: false } }),
    ],
    ["PUT /workers/scripts/akimbo/schedules", () => ({ result: {} })],
    [
      "POST /workers/scripts/akimbo/versions\\?.*",
      ({ body }) => {
        keepSecrets(body, secrets);
        return { result: { id: "v2", startup_time_ms: 1, resources: { script: {} } } };
      },
    ],
    ["POST /workers/scripts/akimbo/deployments(?:\\?.*)?", () => ({ result: {} })],
    ["PATCH /workers/scripts/akimbo/script-settings", () => ({ result: {} })],
    [
      "POST /queues/([\\w-]+)/consumers",
      (_, [, id]) => {
        const queue = queues.find(({ queue_id }) => queue_id === id);
        queue?.consumers.push({ type: "worker", script: "akimbo", consumer_id: `c-${id}` });
        return { result: {} };
      },
    ],
    ["PUT /queues/[\\w-]+/consumers/[\\w-]+", () => ({ result: {} })],
  ];
}

/** The secrets that an upload of the Worker brings; those it does not mention stay. */
function keepSecrets(form: string, secrets: Map<string, string>): void {
  const metadata = /name="metadata"\r\n\r\n(.*)\r\n/.exec(form)?.[1] ?? "{}";
  const { bindings = [] } = JSON.parse(metadata) as {
    bindings?: { type: string; name: string; text: string }[];
  };
  for (const { type, name, text } of bindings) if (type === "secret_text") secrets.set(name, text);
}

/** The rows of each statement, as D1 gives them. */
function runSql(database: DatabaseSync, text: string): object[] {
  return splitStatements(text).map((statement) => ({
    success: true,
    results: database.prepare(statement).all(),
    meta: { duration: 0, rows_read: 0, rows_written: 0 },
  }));
}

/** Statements apart, at semicolons outside of quotes, comments and the bodies of triggers. */
function splitStatements(text: string): string[] {
  const parts =
    text.match(/(?:'[^']*'|"[^"]*"|--[^\n]*|\bBEGIN\b[\s\S]*?\bEND\s*(?=;)|[^;'"-]|-)+/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part.replaceAll(/--.*$/gm, "").trim());
}
