import assert from "node:assert/strict";
import { test } from "node:test";
import { requireCommit } from "../upgrades/checkout.ts";

test("a commit that the history here has not is refused with what to do", async () => {
  await assert.rejects(requireCommit("f".repeat(40)), {
    message: /is not in the history here.* `git fetch --unshallow` /,
  });
});
