import assert from "node:assert/strict";
import { test } from "node:test";
import { formatKeys } from "../../src/cli/key-commands.ts";

const TABLE = /^Key +Logins +Secrets\n─+ +─+ +─+\n/;

const adviceOf = (...args: Parameters<typeof formatKeys>): string => {
  const shown = formatKeys(...args);
  assert.match(shown, TABLE);
  return shown.split("\n\n")[1] ?? "";
};

const OLD = { key_id: "k1", logins: 12, secrets: 0 };
const NEW = { key_id: "k2", logins: 3, secrets: 2 };
const AT_NIGHT =
  "Logins and secrets under another key than the first of ENCRYPTION_KEYS are encrypted again at night.";

test("shows how many logins and secrets stand under which key", () => {
  assert.match(formatKeys([OLD, NEW], ["k2", "k1"]), /\nk1 +12 +0\nk2 +3 +2\n\n/);
  assert.equal(formatKeys([], ["k2"]), "No login and no secret is stored.");
});

test("says what happens to older keys, and which are needed no more", () => {
  assert.equal(adviceOf([OLD, NEW], ["k2", "k1"]), AT_NIGHT);
  assert.equal(adviceOf([OLD], ["k2", "k1"]), AT_NIGHT);
  assert.equal(adviceOf([NEW], ["k2"]), "Everything is encrypted with k2.");
  assert.equal(
    adviceOf([NEW], ["k2", "k1"]),
    "Everything is encrypted with k2. The keys after it in ENCRYPTION_KEYS can be removed.",
  );
});

test("says which logins and secrets cannot be read, because their key is not in ENCRYPTION_KEYS", () => {
  const todo =
    "If it is lost, connect the accounts again, and make the webhooks, browsers and chats anew.";
  assert.equal(
    adviceOf([OLD], ["kX"]),
    `k1 is not in ENCRYPTION_KEYS, so 12 logins cannot be read. Add k1 with its value after the first key. ${todo}`,
  );
  assert.equal(
    adviceOf([OLD, { key_id: "k2", logins: 1, secrets: 2 }], ["k1"]),
    `k2 is not in ENCRYPTION_KEYS, so 1 login and 2 secrets of webhooks, browsers and chats cannot be read. Add k2 with its value after the first key. ${todo}`,
  );
});

test("says that the keys of a deployed instance were not checked", () => {
  const unchecked = "Cloudflare does not show secrets, so this was not checked.";
  assert.equal(
    adviceOf([NEW], null),
    `Everything is encrypted with k2. When it is the first of ENCRYPTION_KEYS, the keys after it can be removed.\nThe instance must have k2, in ENCRYPTION_KEYS or made by itself. ${unchecked}`,
  );
  assert.equal(
    adviceOf([OLD, NEW], null),
    `${AT_NIGHT}\nThe instance must have k1 and k2, in ENCRYPTION_KEYS or made by itself. ${unchecked}`,
  );
});
