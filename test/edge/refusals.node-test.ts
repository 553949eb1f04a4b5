import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { ACCOUNT_ID, Account, type Script, type Version } from "./account.ts";
import { Api } from "./api.ts";
import type { LimitName, LimitOverrides, Plan } from "./limits.ts";
import { QueueBroker } from "./queue-broker.ts";
import { Refusal } from "./refusal.ts";
import { ACCOUNT_ROUTES } from "./routes/all.ts";
import { Runner } from "./runner.ts";
import { toBookmark } from "./time-travel.ts";

const ORIGIN = "http://api";
const SCRIPT =
  "export class Counter {} export default { fetch: () => new Response(), queue() {} };";
const JS = "application/javascript+module";

const open: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of open) await close();
});

/** An account in this process, with the runtime behind its databases. */
function openAccount(plan: Plan, limits: LimitOverrides = {}) {
  const folder = mkdtempSync(join(tmpdir(), "akimbo-account-"));
  const account = new Account(folder, plan, limits);
  account.save();
  const broker = new QueueBroker(account);
  const runner = new Runner(account, (request) => broker.take(request));
  const api = new Api({ account, runner, origin: ORIGIN }, ACCOUNT_ROUTES);
  open.push(async () => {
    broker.stop();
    await runner.stop();
    rmSync(folder, { recursive: true });
  });
  async function call(method: string, path: string, body: object = {}): Promise<unknown> {
    const url = new URL(`/accounts/${ACCOUNT_ID}${path}`, ORIGIN);
    const request = new Request(url, {
      method: "POST",
      body: body instanceof FormData ? body : JSON.stringify(body),
    });
    const type = request.headers.get("content-type") ?? "";
    const reply = await api.answer(method, url, type, Buffer.from(await request.arrayBuffer()));
    return reply.result;
  }
  return { account, broker, call };
}

type Opened = ReturnType<typeof openAccount>;

interface Upload {
  metadata?: object;
  script?: string;
  type?: string;
  name?: string;
}

function upload({
  metadata = {},
  script = SCRIPT,
  type = JS,
  name = "worker.js",
}: Upload): FormData {
  const form = new FormData();
  const whole = { main_module: "worker.js", compatibility_date: "2026-09-18", ...metadata };
  form.set("metadata", JSON.stringify(whole));
  form.set(name, new File([script], name, { type }));
  return form;
}

const put = (opened: Opened, parts: Upload, name = "worker") =>
  opened.call("PUT", `/workers/scripts/${name}`, upload(parts));

const version = (number: number): Version => ({
  id: randomUUID(),
  number,
  createdAt: new Date().toISOString(),
  mainModule: "worker.js",
  modules: [],
  compatibilityDate: "2026-09-18",
  compatibilityFlags: [],
  bindings: [],
  assets: null,
  annotations: {},
  handlers: ["fetch", "queue"],
});

/** A script as the account keeps it, without an upload. */
function addScript({ account }: Opened, name: string, versions = 1): Script {
  const script: Script = {
    name,
    tag: "",
    versions: Array.from({ length: versions }, (_, i) => version(i + 1)),
    deployments: [],
    migrationTag: null,
    classes: {},
    schedules: [],
    hasSubdomain: false,
    hasPreviews: false,
    settings: {},
  };
  account.state.scripts.push(script);
  account.save();
  return script;
}

const addDatabase = async ({ call }: Opened, name = "data") =>
  (await call("POST", "/d1/database", { name })) as { uuid: string };

const query = (opened: Opened, sql: string, params: unknown[] = []) =>
  opened.call("POST", "/d1/database/data/query", { sql, params });

async function addConsumer(opened: Opened, settings: object): Promise<unknown> {
  addScript(opened, "worker");
  const queue = (await opened.call("POST", "/queues", { queue_name: "jobs" })) as {
    queue_id: string;
  };
  const body = { type: "worker", script_name: "worker", settings };
  return opened.call("POST", `/queues/${queue.queue_id}/consumers`, body);
}

async function send(opened: Opened, path: string, init: RequestInit): Promise<unknown> {
  await opened.call("POST", "/queues", { queue_name: "jobs" });
  const request = new Request(`http://queue/${path}?queue=jobs`, { method: "POST", ...init });
  const response = await opened.broker.take(request);
  if (!response.ok) throw new Refusal(response.status, await response.text());
  return response.json();
}

const batch = (count: number, bytes: number): RequestInit => ({
  body: JSON.stringify({
    messages: Array.from({ length: count }, () => ({
      contentType: "text",
      body: Buffer.alloc(bytes).toString("base64"),
    })),
  }),
});

interface Row {
  /** Cloudflare's code, D1's, or the status that a queue's binding answers. */
  code: number;
  plan?: Plan;
  limits?: LimitOverrides;
  run: (opened: Opened) => Promise<unknown>;
}

const many = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const texts = (count: number, bytes = 1) =>
  many(count, (i) => ({ name: `VAR_${i}`, type: "plain_text", text: "x".repeat(bytes) }));
const manifest = (count: number, size: number) =>
  Object.fromEntries(
    many(count, (i) => [`/${i}`, { hash: i.toString(16).padStart(32, "0"), size }]),
  );

/** What is one past each limit. */
const PAST_LIMITS = {
  workers: {
    code: 10_037,
    run: (opened) => {
      for (let i = 0; i < 100; i++) addScript(opened, `other-${i}`);
      return put(opened, {});
    },
  },
  scriptBytes: {
    code: 10_027,
    run: (opened) => put(opened, { script: `//${"x".repeat(64 * 1_048_576)}` }),
  },
  textBindings: {
    code: 10_055,
    run: (opened) => put(opened, { metadata: { bindings: texts(65) } }),
  },
  textBindingBytes: {
    code: 10_054,
    run: (opened) => put(opened, { metadata: { bindings: texts(1, 5_121) } }),
  },
  cronTriggers: {
    code: 10_072,
    run: (opened) => {
      addScript(opened, "other").schedules = many(3, (i) => `${i} * * * *`);
      addScript(opened, "worker");
      const crons = many(3, (i) => ({ cron: `*/${i + 2} * * * *` }));
      return opened.call("PUT", "/workers/scripts/worker/schedules", crons);
    },
  },
  assetFiles: {
    code: 10_304,
    run: ({ call }) =>
      call("POST", "/workers/scripts/worker/assets-upload-session", {
        manifest: manifest(20_001, 1),
      }),
  },
  assetBytes: {
    code: 10_304,
    run: ({ call }) =>
      call("POST", "/workers/scripts/worker/assets-upload-session", {
        manifest: manifest(1, 25 * 1_048_576 + 1),
      }),
  },
  metadataBytes: {
    code: 10_006,
    run: (opened) => put(opened, { metadata: { note: "x".repeat(1_048_576) } }),
  },
  cpuMs: {
    code: 10_206,
    plan: "paid",
    run: (opened) => put(opened, { metadata: { limits: { cpu_ms: 300_001 } } }),
  },
  deploymentVersions: {
    code: 10_210,
    run: (opened) => {
      const { versions } = addScript(opened, "worker", 3);
      const percentages = [50, 25, 25];
      return opened.call("POST", "/workers/scripts/worker/deployments", {
        versions: versions.map(({ id }, i) => ({ version_id: id, percentage: percentages[i] })),
      });
    },
  },
  deployableVersions: {
    code: 10_210,
    run: (opened) => {
      const [oldest] = addScript(opened, "worker", 101).versions;
      return opened.call("POST", "/workers/scripts/worker/deployments", {
        versions: [{ version_id: oldest?.id, percentage: 100 }],
      });
    },
  },
  databases: {
    code: 7_406,
    run: async (opened) => {
      for (let i = 0; i < 10; i++) await addDatabase(opened, `data-${i}`);
      return addDatabase(opened);
    },
  },
  databaseBytes: {
    code: 7_500,
    limits: { databaseBytes: 8_192 },
    run: async (opened) => {
      await addDatabase(opened);
      await query(opened, "CREATE TABLE notes (text TEXT)");
      await query(opened, "INSERT INTO notes VALUES (?)", ["x".repeat(10_000)]);
      await query(opened, "DELETE FROM notes WHERE text = 'none'");
      return query(opened, "INSERT INTO notes VALUES ('more')");
    },
  },
  statementBytes: {
    code: 7_500,
    run: async (opened) => {
      await addDatabase(opened);
      return query(opened, `SELECT '${"x".repeat(100_000)}'`);
    },
  },
  rowBytes: {
    code: 7_500,
    run: async (opened) => {
      await addDatabase(opened);
      await query(opened, "CREATE TABLE notes (a TEXT, b TEXT)");
      const half = "x".repeat(1_000_001);
      return query(opened, "INSERT INTO notes VALUES (?, ?)", [half, half]);
    },
  },
  boundParameters: {
    code: 7_500,
    run: async (opened) => {
      await addDatabase(opened);
      const values = many(101, () => 1);
      return query(opened, `SELECT ${values.map(() => "?").join(", ")}`, values);
    },
  },
  timeTravelDays: {
    code: 7_500,
    run: async (opened) => {
      const { uuid } = await addDatabase(opened);
      const bookmark = toBookmark(new Date(Date.now() - 8 * 86_400_000), 0);
      const folder = join(opened.account.folder, "bookmarks", uuid);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `${bookmark}.sqlite`), "");
      return opened.call("POST", `/d1/database/data/time_travel/restore?bookmark=${bookmark}`);
    },
  },
  queues: {
    code: 11_008,
    limits: { queues: 2 },
    run: async ({ call }) => {
      for (let i = 0; i < 3; i++) await call("POST", "/queues", { queue_name: `jobs-${i}` });
    },
  },
  queueNameLength: {
    code: 11_003,
    run: ({ call }) => call("POST", "/queues", { queue_name: "x".repeat(64) }),
  },
  batchMessages: { code: 10_004, run: (opened) => addConsumer(opened, { batch_size: 101 }) },
  batchWaitMs: { code: 10_004, run: (opened) => addConsumer(opened, { max_wait_time_ms: 60_001 }) },
  messageRetries: { code: 10_004, run: (opened) => addConsumer(opened, { max_retries: 101 }) },
  messageBytes: {
    code: 413,
    run: (opened) => send(opened, "message", { body: Buffer.alloc(128_001) }),
  },
  sentBatchBytes: { code: 413, run: (opened) => send(opened, "batch", batch(3, 100_000)) },
  delaySeconds: {
    code: 400,
    run: (opened) =>
      send(opened, "message", { body: "x", headers: { "x-msg-delay-secs": "43201" } }),
  },
  durableObjectClasses: {
    code: 10_067,
    run: (opened) => {
      const names = many(101, (i) => `Class${i}`);
      return put(opened, {
        metadata: { migrations: { new_tag: "v1", steps: [{ new_sqlite_classes: names }] } },
      });
    },
  },
} satisfies Record<LimitName, Row>;

const binding = (type: string, fields: object = {}) => ({
  bindings: [{ name: "A", type, ...fields }],
});

/** What is wrong in other ways. */
const WRONG: Record<string, Row> = {
  "a name with capitals": { code: 10_016, run: (opened) => put(opened, {}, "Worker") },
  "a name that ends with a dash": { code: 10_016, run: (opened) => put(opened, {}, "worker-") },
  "a name of 64 letters": { code: 10_016, run: (opened) => put(opened, {}, "w".repeat(64)) },
  "a main module that is no part": {
    code: 10_006,
    run: (opened) => put(opened, { metadata: { main_module: "none.js" } }),
  },
  "a module outside of the upload": {
    code: 10_006,
    run: (opened) =>
      put(opened, { name: "../worker.js", metadata: { main_module: "../worker.js" } }),
  },
  "a module of a type that the runtime lacks": {
    code: 10_021,
    run: (opened) => put(opened, { type: "text/css" }),
  },
  "a date that is none": {
    code: 10_021,
    run: (opened) => put(opened, { metadata: { compatibility_date: "2026-02-31x" } }),
  },
  "a date in the future": {
    code: 10_021,
    run: (opened) => put(opened, { metadata: { compatibility_date: "2999-01-01" } }),
  },
  "an unknown flag": {
    code: 10_021,
    run: (opened) => put(opened, { metadata: { compatibility_flags: ["no_such_flag"] } }),
  },
  "an experimental flag": {
    code: 10_021,
    run: (opened) => put(opened, { metadata: { compatibility_flags: ["experimental"] } }),
  },
  "a flag and its opposite": {
    code: 10_021,
    run: (opened) =>
      put(opened, { metadata: { compatibility_flags: ["nodejs_compat", "no_nodejs_compat"] } }),
  },
  "a script that is no script": {
    code: 10_021,
    run: (opened) => put(opened, { script: "export default {" }),
  },
  "a script that throws at the start": {
    code: 10_021,
    run: (opened) => put(opened, { script: 'throw new Error("no"); export default {};' }),
  },
  "an import of a module that is no part": {
    code: 10_021,
    run: (opened) => put(opened, { script: 'import "./none.js"; export default { fetch() {} };' }),
  },
  "a script without handlers": {
    code: 10_068,
    run: (opened) => put(opened, { script: "export default {};" }),
  },
  "a limit of CPU on the free plan": {
    code: 100_328,
    run: (opened) => put(opened, { metadata: { limits: { cpu_ms: 10 } } }),
  },
  "a binding without a name": {
    code: 10_052,
    run: (opened) => put(opened, { metadata: { bindings: [{ type: "images" }] } }),
  },
  "two bindings of one name": {
    code: 10_053,
    run: (opened) => put(opened, { metadata: { bindings: [...texts(1), ...texts(1)] } }),
  },
  "a binding of an unknown type": {
    code: 100_153,
    run: (opened) => put(opened, { metadata: binding("telephone") }),
  },
  "a database that is not there": {
    code: 10_181,
    run: (opened) => put(opened, { metadata: binding("d1", { id: randomUUID() }) }),
  },
  "a bucket that is not there": {
    code: 10_085,
    run: (opened) => put(opened, { metadata: binding("r2_bucket", { bucket_name: "none" }) }),
  },
  "a queue that is not there": {
    code: 11_000,
    run: (opened) => put(opened, { metadata: binding("queue", { queue_name: "none" }) }),
  },
  "a binding that is inherited from nothing": {
    code: 10_057,
    run: (opened) => put(opened, { metadata: binding("inherit") }),
  },
  "assets that were not uploaded": {
    code: 10_305,
    run: (opened) => put(opened, { metadata: binding("assets") }),
  },
  "a class without a migration": {
    code: 10_061,
    run: (opened) =>
      put(opened, { metadata: binding("durable_object_namespace", { class_name: "Counter" }) }),
  },
  "a class that is not exported": {
    code: 10_070,
    run: (opened) =>
      put(opened, {
        metadata: { migrations: { new_tag: "v1", steps: [{ new_sqlite_classes: ["Missing"] }] } },
      }),
  },
  "a class without SQLite on the free plan": {
    code: 10_097,
    run: (opened) =>
      put(opened, {
        metadata: { migrations: { new_tag: "v1", steps: [{ new_classes: ["Counter"] }] } },
      }),
  },
  "a migration from another tag": {
    code: 10_074,
    run: (opened) =>
      put(opened, { metadata: { migrations: { old_tag: "v1", new_tag: "v2", steps: [] } } }),
  },
  "a deleted class that was not there": {
    code: 10_074,
    run: (opened) =>
      put(opened, {
        metadata: { migrations: { new_tag: "v1", steps: [{ deleted_classes: ["None"] }] } },
      }),
  },
  "a version of a Worker that is not there": {
    code: 10_007,
    run: ({ call }) => call("POST", "/workers/scripts/worker/versions", upload({})),
  },
  "a version with a migration": {
    code: 10_211,
    run: (opened) => {
      addScript(opened, "worker");
      const migrations = { new_tag: "v1", steps: [] };
      return opened.call(
        "POST",
        "/workers/scripts/worker/versions",
        upload({ metadata: { migrations } }),
      );
    },
  },
  "percentages that are not 100": {
    code: 10_210,
    run: (opened) => {
      const [only] = addScript(opened, "worker").versions;
      return opened.call("POST", "/workers/scripts/worker/deployments", {
        versions: [{ version_id: only?.id, percentage: 90 }],
      });
    },
  },
  "a secret while a newer version waits": {
    code: 10_215,
    run: (opened) => {
      const script = addScript(opened, "worker", 2);
      const versions = [{ version_id: script.versions[0]?.id ?? "", percentage: 100 }];
      script.deployments.unshift({ id: "d", createdAt: "", annotations: {}, versions });
      return opened.call("PUT", "/workers/scripts/worker/secrets", {
        name: "A",
        text: "b",
        type: "secret_text",
      });
    },
  },
  "a consumer without a handler": {
    code: 11_001,
    run: async (opened) => {
      const [only] = addScript(opened, "pages").versions;
      if (only) only.handlers = ["fetch"];
      const made = (await opened.call("POST", "/queues", { queue_name: "jobs" })) as {
        queue_id: string;
      };
      const body = { type: "worker", script_name: "pages" };
      return opened.call("POST", `/queues/${made.queue_id}/consumers`, body);
    },
  },
  "a second consumer": {
    code: 11_004,
    run: async (opened) => {
      await addConsumer(opened, {});
      const [queue] = opened.account.state.queues;
      const body = { type: "worker", script_name: "worker" };
      return opened.call("POST", `/queues/${queue?.queue_id}/consumers`, body);
    },
  },
  "a queue's name that is taken": {
    code: 11_009,
    run: async ({ call }) => {
      await call("POST", "/queues", { queue_name: "jobs" });
      return call("POST", "/queues", { queue_name: "jobs" });
    },
  },
  "a cron expression that is none": {
    code: 10_022,
    run: (opened) => {
      addScript(opened, "worker");
      return opened.call("PUT", "/workers/scripts/worker/schedules", [{ cron: "61 * * * *" }]);
    },
  },
  "a host of another's zone": {
    code: 100_112,
    run: (opened) => {
      addScript(opened, "worker");
      const body = { origins: [{ hostname: "social.example.org" }] };
      return opened.call("PUT", "/workers/scripts/worker/domains/records", body);
    },
  },
  "a host that is no name": {
    code: 100_113,
    run: ({ call }) =>
      call("POST", "/workers/scripts/worker/domains/changeset", [{ hostname: "a_b.example.com" }]),
  },
  "a host of another Worker": {
    code: 100_116,
    run: (opened) => {
      const { domains } = opened.account.state;
      domains.push({ id: "d", hostname: "social.example.com", service: "other", zone_id: "zone1" });
      return opened.call("POST", "/workers/scripts/worker/domains/changeset", [
        { hostname: "social.example.com" },
      ]);
    },
  },
  "a database's name that is taken": {
    code: 7_502,
    run: async (opened) => {
      await addDatabase(opened);
      return addDatabase(opened);
    },
  },
  "a bucket's name that is none": {
    code: 10_005,
    run: ({ call }) => call("POST", "/r2/buckets", { name: "A b" }),
  },
  "SQL that is none": {
    code: 7_500,
    run: async (opened) => {
      await addDatabase(opened);
      return query(opened, "SELECT FROM");
    },
  },
  "a call that Cloudflare does not have": {
    code: 7_003,
    run: ({ call }) => call("GET", "/telephones"),
  },
};

async function codeOf({ plan = "free", limits, run }: Row): Promise<number> {
  try {
    await run(openAccount(plan, limits));
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
  return 0;
}

describe("refuses what is past each limit", () => {
  for (const [name, row] of Object.entries<Row>(PAST_LIMITS)) {
    test(name, async () => assert.equal(await codeOf(row), row.code));
  }
});

describe("refuses what Cloudflare refuses", () => {
  for (const [name, row] of Object.entries(WRONG)) {
    test(`${name} (${row.code})`, async () => assert.equal(await codeOf(row), row.code));
  }
});

test("an upload that is right is deployed, and a refused one leaves no trace", async () => {
  const opened = openAccount("free");
  await put(opened, {});
  await assert.rejects(put(opened, { script: "export default {" }));
  const [script] = opened.account.state.scripts;
  assert.equal(script?.versions.length, 1);
  assert.deepEqual(script?.versions[0]?.handlers, ["fetch", "queue"]);
});
