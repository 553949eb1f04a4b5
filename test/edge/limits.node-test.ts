import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { LimitName } from "./limits.ts";
import {
  addConsumer,
  addDatabase,
  addScript,
  batch,
  codeOf,
  manifest,
  many,
  put,
  query,
  type Row,
  send,
  texts,
} from "./opened-account.ts";
import { toBookmark } from "./time-travel.ts";

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

describe("refuses what is past each limit", () => {
  for (const [name, row] of Object.entries<Row>(PAST_LIMITS)) {
    test(name, async () => assert.equal(await codeOf(row), row.code));
  }
});
