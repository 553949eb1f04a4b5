import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type ConnectionOptions, type Host, readConnection } from "../../src/cli/connection.ts";
import { PACKAGED } from "../../src/cli/packaged.ts";

const [A, B, C] = ["https://a.example", "https://b.example", "https://c.example"] as const;

const host: Host = {
  command: "akimbo",
  uploadsFolder: () => "",
  findInstance: async () => ({ url: C, token: "of-c", remedy: "Check C." }),
  whereInstance: "",
  advice: "Name one.",
};

interface Case {
  options?: ConnectionOptions;
  env?: Record<string, string>;
  /** The instance and the token, or the refusal. */
  leadsTo: [origin: string, token: string] | RegExp;
}

const CASES: Record<string, Case> = {
  "the host's own": { leadsTo: [C, "of-c"] },
  "the environment": { env: { AKIMBO_URL: A, AKIMBO_TOKEN: "of-a" }, leadsTo: [A, "of-a"] },
  "options before the environment": {
    options: { url: `${B}/`, token: "of-b" },
    env: { AKIMBO_URL: A, AKIMBO_TOKEN: "of-a" },
    leadsTo: [B, "of-b"],
  },
  "another token for the host's own": { env: { AKIMBO_TOKEN: "other" }, leadsTo: [C, "other"] },
  "a token without an address goes with any": {
    options: { url: B },
    env: { AKIMBO_TOKEN: "mine" },
    leadsTo: [B, "mine"],
  },
  "the environment's token stays with its address": {
    options: { url: B },
    env: { AKIMBO_URL: A, AKIMBO_TOKEN: "of-a" },
    leadsTo: /There is no token for https:\/\/b\.example\. Name one\./,
  },
  "the host's token stays with its address": {
    env: { AKIMBO_URL: A },
    leadsTo: /AKIMBO_URL needs AKIMBO_TOKEN too/,
  },
  "the host's token for the same address": { options: { url: `${C}//` }, leadsTo: [C, "of-c"] },
  "two tokens": {
    options: { url: B, token: "of-b", tokenFile: "-" },
    leadsTo: /--token and --token-file both name a token/,
  },
  "a file of a token that is not there": {
    options: { url: B, tokenFile: "/nowhere/token" },
    leadsTo: /\/nowhere\/token cannot be read/,
  },
  "no address": { options: { url: "akimbo" }, leadsTo: /akimbo is not the address of an instance/ },
};

test("the instance: a token in a file, which ends with a line", async (context) => {
  const folder = await mkdtemp(join(tmpdir(), "akimbo-"));
  context.after(() => rm(folder, { recursive: true }));
  const tokenFile = join(folder, "token");
  await writeFile(tokenFile, "of-b\n");
  const { origin, token } = await readConnection({ url: B, tokenFile }, host, {});
  assert.deepEqual([origin, token], [B, "of-b"]);
  await writeFile(tokenFile, "\n");
  await assert.rejects(readConnection({ url: B, tokenFile }, host, {}), /holds no token/);
});

for (const [name, { options = {}, env = {}, leadsTo }] of Object.entries(CASES)) {
  test(`the instance: ${name}`, async () => {
    const chosen = readConnection(options, host, env);
    if (leadsTo instanceof RegExp) return assert.rejects(chosen, leadsTo);
    const { origin, token } = await chosen;
    assert.deepEqual([origin, token], leadsTo);
  });
}

async function configure(t: TestContext, text: string | null) {
  const folder = await mkdtemp(join(tmpdir(), "akimbo-config-"));
  t.after(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, "akimbo"));
  const path = join(folder, "akimbo", "config.json");
  if (text !== null) await writeFile(path, text, { mode: 0o600 });
  return { path, env: { XDG_CONFIG_HOME: folder } };
}

test("the package reads its settings, and warns where others can", async (t) => {
  const { path, env } = await configure(t, JSON.stringify({ url: A, token: "of-a" }));
  const told = t.mock.method(console, "error", () => {});
  const { origin, token, remedy } = await readConnection({}, PACKAGED, env);
  assert.deepEqual([origin, token, remedy], [A, "of-a", `Check url in ${path}.`]);
  assert.equal(told.mock.callCount(), 0);
  await chmod(path, 0o644);
  await readConnection({}, PACKAGED, env);
  assert.match(String(told.mock.calls[0]?.arguments[0]), /chmod 600/);
});

test("the package says what is missing", async (t) => {
  const { env } = await configure(t, null);
  await assert.rejects(readConnection({}, PACKAGED, env), /Which instance\? Set AKIMBO_URL/);
  const broken = await configure(t, '{"url": 7}');
  await assert.rejects(readConnection({}, PACKAGED, broken.env), /must be \{"url"/);
});
