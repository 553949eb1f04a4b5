import assert from "node:assert/strict";
import { test } from "node:test";
import { createToken, isToken, parseScopes, tokenHint } from "../../src/cli/tokens.ts";

test("a new token has the format of the spec, and no two are alike", () => {
  assert.match(createToken(), /^kmb_[0-9a-f]{64}$/);
  assert.notEqual(createToken(), createToken());
});

test("a hint shows the first 8 and the last 4 characters", () => {
  assert.equal(tokenHint(`kmb_abcd${"0".repeat(56)}wxyz`), "kmb_abcd…wxyz");
});

for (const text of ["", "kmb_", `kmb_${"A".repeat(64)}`, `kmb_${"a".repeat(64)}\n`]) {
  test(`${JSON.stringify(text)} is no token`, () => {
    assert.equal(isToken(text), false);
  });
}

test("no scopes are all scopes; spaces and repetitions do not count", () => {
  assert.deepEqual(parseScopes(""), ["*"]);
  assert.deepEqual(parseScopes("posts:read, links:write,posts:read"), [
    "posts:read",
    "links:write",
  ]);
});

test("refuses an unknown scope by its name", () => {
  assert.throws(() => parseScopes("posts:read,posts:delete"), /Unknown scope posts:delete\./);
});
