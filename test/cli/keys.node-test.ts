import assert from "node:assert/strict";
import { test } from "node:test";
import { formatKeys } from "../../src/cli/key-commands.ts";

test("shows how many logins and secrets stand under which key, and what happens to them", () => {
  const shown = formatKeys([
    { key_id: "k1", logins: 12, secrets: 0 },
    { key_id: "k2", logins: 3, secrets: 2 },
  ]);
  assert.match(
    shown,
    /^Key +Logins +Secrets\n─+ +─+ +─+\nk1 +12 +0\nk2 +3 +2\n\nLogins and secrets under .* again at night\.$/,
  );
});

test("says which keys are needed no more", () => {
  const shown = formatKeys([{ key_id: "k2", logins: 15, secrets: 2 }]);
  assert.match(
    shown,
    /k2 +15 +2\n\nEverything is encrypted with k2\. The keys after it in ENCRYPTION_KEYS can be removed\.$/,
  );
  assert.equal(formatKeys([]), "No login and no secret is stored.");
});
