import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, test } from "node:test";
import {
  addConsumer,
  addDatabase,
  addScript,
  codeOf,
  openAccount,
  put,
  query,
  type Row,
  texts,
  upload,
} from "./opened-account.ts";

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
