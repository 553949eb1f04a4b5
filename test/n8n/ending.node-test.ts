import assert from "node:assert/strict";
import { test } from "node:test";
import { UPLOAD_STATUSES } from "../../src/core/upload-status.ts";
import { hasEnded, nextReadSeconds } from "../../src/n8n/nodes/Akimbo/shared/ending.ts";

test("only posts on their way are waited for; a planned post is returned at once", () => {
  assert.deepEqual(
    UPLOAD_STATUSES.filter((status) => !hasEnded(status)),
    ["pending", "processing"],
  );
  assert.ok(hasEnded("a status of a later version"));
});

test("reads become rarer, and none comes after the longest wait", () => {
  const delays = Array.from({ length: 9 }, (_, reads) => nextReadSeconds(reads, 600));
  assert.deepEqual(delays, [1, 1, 2, 3, 5, 8, 10, 10, 10]);
  assert.equal(nextReadSeconds(8, 2.5), 2.5);
});
