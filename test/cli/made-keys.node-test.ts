import assert from "node:assert/strict";
import { test } from "node:test";
import { describeKeys } from "../../src/cli/made-keys.ts";

const KEYS = { ENCRYPTION_KEYS: "k1:abc=", SIGNING_KEY: "def" };

test("a terminal shows the keys, once", () => {
  assert.match(
    describeKeys(KEYS, true) ?? "",
    /keep them.*\n {2}ENCRYPTION_KEYS=k1:abc=\n {2}SIGNING_KEY=def$/s,
  );
});

test("the log of a build has their names alone", () => {
  const text = describeKeys(KEYS, false) ?? "";
  assert.match(text, /Made ENCRYPTION_KEYS, SIGNING_KEY\. They are not shown/);
  assert.doesNotMatch(text, /abc|def/);
});

test("where none is made, nothing is said", () => {
  assert.equal(describeKeys({}, true), null);
});
