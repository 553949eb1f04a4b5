import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { toOrigin } from "../../src/n8n/nodes/Akimbo/shared/address.ts";
import { isFromAkimbo } from "../../src/n8n/nodes/AkimboTrigger/signature.ts";

const NOW = new Date("2026-12-01T09:00:00.000Z");
const SECONDS = NOW.getTime() / 1000;
const body = Buffer.from('{"id":"evt_1","text":"Grüße"}');

const sign = (timestamp: string, secret = "whsec_1"): string =>
  createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex");

const judge = (timestamp: string, signature: string, secret = "whsec_1"): boolean =>
  isFromAkimbo({ body, timestamp, signature }, secret, NOW);

test("a delivery with its secret's signature is taken, up to five minutes old", () => {
  for (const age of [0, 300, -300]) {
    const timestamp = String(SECONDS - age);
    assert.ok(judge(timestamp, sign(timestamp)), String(age));
  }
});

test("every other delivery is refused", () => {
  const timestamp = String(SECONDS);
  const old = String(SECONDS - 301);
  assert.ok(!judge(old, sign(old)));
  assert.ok(!judge(timestamp, sign(timestamp, "whsec_2")));
  assert.ok(!judge(timestamp, sign(String(SECONDS - 1))));
  assert.ok(!judge(timestamp, ""));
  assert.ok(!judge("", sign("")));
  assert.ok(!judge("1e9", sign("1e9")));
  // A node that has no webhook knows no secret.
  assert.ok(!judge(timestamp, sign(timestamp, ""), ""));
});

test("the base URL may be pasted in several forms", () => {
  for (const url of ["https://a.example", " https://a.example/ ", "https://a.example/api/v1/"]) {
    assert.equal(toOrigin(url), "https://a.example");
  }
});
