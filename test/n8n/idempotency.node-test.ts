import assert from "node:assert/strict";
import { test } from "node:test";
import { idempotencyKey } from "../../src/n8n/nodes/Akimbo/shared/idempotency.ts";

const ORIGIN = {
  instanceId: "instance",
  workflowId: "workflow",
  executionId: "17",
  nodeName: "Veröffentlichen 🚀",
  runIndex: 0,
  itemIndex: 3,
};

test("a repeated item has the same key, which is a header's text of up to 255 characters", () => {
  const key = idempotencyKey(ORIGIN, "acc_1");
  assert.equal(idempotencyKey({ ...ORIGIN }, "acc_1"), key);
  assert.match(key, /^n8n-[0-9a-f]{64}$/);
});

test("everything that tells two calls apart changes the key", () => {
  const others = [
    idempotencyKey({ ...ORIGIN, instanceId: "another" }, "acc_1"),
    idempotencyKey({ ...ORIGIN, workflowId: "another" }, "acc_1"),
    idempotencyKey({ ...ORIGIN, executionId: "18" }, "acc_1"),
    idempotencyKey({ ...ORIGIN, nodeName: "Another" }, "acc_1"),
    idempotencyKey({ ...ORIGIN, runIndex: 1 }, "acc_1"),
    idempotencyKey({ ...ORIGIN, itemIndex: 4 }, "acc_1"),
    idempotencyKey(ORIGIN, "acc_2"),
  ];
  const all = new Set([idempotencyKey(ORIGIN, "acc_1"), ...others]);
  assert.equal(all.size, others.length + 1);
});
