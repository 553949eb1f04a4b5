import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { GUIDES_FOLDER } from "../../src/cli/guides.ts";
import { hmacKey } from "../../src/core/signature.ts";
import { deliveryRequest } from "../../src/features/webhooks/send.ts";
import { blocksOf } from "./blocks.ts";

const SECRET = "whsec_0123456789abcdef";
const BODY = '{"id":"evt_1","event":"upload.completed","data":{"title":"Füße “3” 🦊"}}';

interface Received {
  headers: Record<string, string>;
  body: string;
}

/** A delivery as it is sent `ageSeconds` ago. */
async function deliver(ageSeconds = 0): Promise<Received> {
  const now = () => new Date(Date.now() - ageSeconds * 1_000);
  const key = await hmacKey(SECRET);
  const sendable = { key, event: "upload.completed", eventId: "evt_1", payload: BODY };
  const { headers } = await deliveryRequest({ now }, sendable);
  return { headers: { ...(headers as Record<string, string>) }, body: BODY };
}

const without = ({ headers, body }: Received, name: string): Received => ({
  headers: Object.fromEntries(Object.entries(headers).filter(([one]) => one !== name)),
  body,
});

const withHeader = ({ headers, body }: Received, name: string, value: string): Received => ({
  headers: { ...headers, [name]: value },
  body,
});

const [SIGNATURE, TIMESTAMP] = ["X-Webhook-Signature", "X-Webhook-Timestamp"];

async function makeCases(): Promise<[what: string, received: Received, isGood: boolean][]> {
  const fresh = await deliver();
  return [
    ["a delivery", fresh, true],
    ["one that took four minutes", await deliver(240), true],
    ["one by a clock that is ahead", await deliver(-240), true],
    ["an old one", await deliver(310), false],
    ["one of the future", await deliver(-310), false],
    ["a changed body", { ...fresh, body: `${BODY} ` }, false],
    [
      "a changed timestamp",
      withHeader(fresh, TIMESTAMP, (await deliver(5)).headers[TIMESTAMP] ?? ""),
      false,
    ],
    ["no timestamp", without(fresh, TIMESTAMP), false],
    ["a timestamp in words", withHeader(fresh, TIMESTAMP, "today"), false],
    ["a timestamp without end", withHeader(fresh, TIMESTAMP, "1".repeat(5_000)), false],
    ["no signature", without(fresh, SIGNATURE), false],
    [
      "half a signature",
      withHeader(fresh, SIGNATURE, fresh.headers[SIGNATURE]?.slice(32) ?? ""),
      false,
    ],
    ["another signature", withHeader(fresh, SIGNATURE, "0".repeat(64)), false],
    ["a signature that is none", withHeader(fresh, SIGNATURE, "é".repeat(64)), false],
  ];
}

const guide = await readFile(join(GUIDES_FOLDER, "webhooks.md"), "utf8");

let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "akimbo-checks-"));
});

after(() => rm(folder, { recursive: true }));

function snippet(language: string): string {
  const [code, ...others] = blocksOf(guide, language);
  if (code === undefined || others.length > 0) {
    assert.fail(`The guide of webhooks has to show one block of ${language}.`);
  }
  return code;
}

test("the guide's check of signatures in TypeScript takes deliveries, and nothing else", async () => {
  const path = join(folder, "check.mts");
  await writeFile(path, snippet("ts"));
  const { isFromAkimbo } = await import(pathToFileURL(path).href);
  for (const [what, { headers, body }, isGood] of await makeCases()) {
    assert.equal(isFromAkimbo(new Headers(headers), body, SECRET), isGood, what);
  }
  const { headers, body } = await deliver();
  assert.equal(isFromAkimbo(new Headers(headers), body, "whsec_another"), false);
});

const hasPython = spawnSync("python3", ["--version"]).status === 0;

const ASK = `
import json, sys
for case in json.load(sys.stdin):
    print(is_from_akimbo(case["headers"], case["body"].encode(), case["secret"]))
`;

test("the guide's check of signatures in Python takes deliveries, and nothing else", {
  skip: hasPython ? false : "there is no python3",
}, async () => {
  const cases = await makeCases();
  const asked = [
    ...cases.map(([, received]) => ({ ...received, secret: SECRET })),
    { ...(await deliver()), secret: "whsec_another" },
  ];
  const { stdout, stderr } = spawnSync("python3", ["-c", snippet("python") + ASK], {
    input: JSON.stringify(asked),
    encoding: "utf8",
  });
  assert.equal(stderr, "");
  const told = stdout.trim().split("\n");
  const expected = [...cases.map(([, , isGood]) => isGood), false];
  const names = [...cases.map(([what]) => what), "another secret"];
  assert.deepEqual(
    told.map((one, i) => [names[i], one === "True"]),
    expected.map((isGood, i) => [names[i], isGood]),
  );
});
