import assert from "node:assert/strict";
import { test } from "node:test";
import { formatKeys } from "../../src/cli/key-commands.ts";

test("shows how many logins stand under which key, and what happens to them", () => {
  const shown = formatKeys([
    { key_id: "k1", logins: 12 },
    { key_id: "k2", logins: 3 },
  ]);
  assert.match(shown, /^Key +Logins\n─+ +─+\nk1 +12\nk2 +3\n\nLogins under .* again at night\.$/);
});

test("says which keys are needed no more", () => {
  const shown = formatKeys([{ key_id: "k2", logins: 15 }]);
  assert.match(
    shown,
    /k2 +15\n\nEvery login is encrypted with k2\. The keys after it in ENCRYPTION_KEYS can be removed\.$/,
  );
  assert.equal(formatKeys([]), "No login is stored.");
});
