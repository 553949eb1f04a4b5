import assert from "node:assert/strict";
import { test } from "node:test";
import { parseStatus } from "../../src/cli/suggestion-commands.ts";

test("a status is one of four, by its name", () => {
  for (const status of ["open", "planned", "done", "declined"]) {
    assert.equal(parseStatus(status), status);
  }
  assert.throws(() => parseStatus("Done"), /Choose one of open, planned, done, declined\./);
});
