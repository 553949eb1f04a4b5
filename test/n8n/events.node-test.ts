import assert from "node:assert/strict";
import { test } from "node:test";
import { SUBSCRIBABLE } from "../../src/features/events/catalogue.ts";
import { EVENTS } from "../../src/n8n/nodes/AkimboTrigger/events.ts";

test("the trigger offers every event", () => {
  const offered = EVENTS.map(({ value }) => value).sort();
  assert.deepEqual(offered, [...SUBSCRIBABLE].sort());
});
