import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { type ConnectionOptions, type Host, readConnection } from "../../src/cli/connection.ts";
import { loginPath, writeLogin } from "../../src/cli/login/store.ts";
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
  const { origin, holder } = await readConnection({ url: B, tokenFile }, host, {
    XDG_CONFIG_HOME: folder,
  });
  assert.deepEqual([origin, holder], [B, "of-b"]);
  await writeFile(tokenFile, "\n");
  await assert.rejects(
    readConnection({ url: B, tokenFile }, host, { XDG_CONFIG_HOME: folder }),
    /holds no token/,
  );
});

for (const [name, { options = {}, env = {}, leadsTo }] of Object.entries(CASES)) {
  test(`the instance: ${name}`, async () => {
    const chosen = readConnection(options, host, { XDG_CONFIG_HOME: HOME, ...env });
    if (leadsTo instanceof RegExp) return assert.rejects(chosen, leadsTo);
    const { origin, holder } = await chosen;
    assert.deepEqual([origin, holder], leadsTo);
  });
}

const HOME = await mkdtemp(join(tmpdir(), "akimbo-logins-"));
after(() => rm(HOME, { recursive: true }));

async function logIn(env: Record<string, string>, ...origins: string[]): Promise<void> {
  for (const origin of origins) {
    await writeLogin(loginPath(origin, env), {
      id: `login-${origin}`,
      ...{ accessToken: "kma_1", refreshToken: "kmr_1", expiresAt: Date.now() + 3_600_000 },
      ...{ scope: "posts:read", tokenEndpoint: origin, revocationEndpoint: origin },
    });
  }
}

const EMPTY: Host = { ...host, findInstance: async () => ({ remedy: "" }) };

const LOGIN_CASES: Record<string, Case & { host?: Host; logins: string[] }> = {
  "a login for the address that is named": {
    ...{ logins: [A, B], options: { url: B } },
    leadsTo: [B, `login-${B}`],
  },
  "a login for the environment's address": {
    ...{ logins: [A], env: { AKIMBO_URL: `${A}/` } },
    leadsTo: [A, `login-${A}`],
  },
  "a token goes before the login": {
    ...{ logins: [B], options: { url: B, token: "of-b" } },
    leadsTo: [B, "of-b"],
  },
  "the environment's token goes before the login": {
    ...{ logins: [A], env: { AKIMBO_URL: A, AKIMBO_TOKEN: "of-a" } },
    leadsTo: [A, "of-a"],
  },
  "a login goes before the host's own token": { logins: [C], leadsTo: [C, `login-${C}`] },
  "the host's own instance goes before another login": { logins: [A], leadsTo: [C, "of-c"] },
  "an only login names the instance": { logins: [B], host: EMPTY, leadsTo: [B, `login-${B}`] },
  "two logins do not": {
    ...{ logins: [A, B], host: EMPTY },
    leadsTo: /signed in to https:\/\/a\.example, https:\/\/b\.example: pass one as --url/,
  },
  "a login stays with its address": {
    ...{ logins: [A], options: { url: B } },
    leadsTo: /no token for https:\/\/b\.example\..*akimbo login --url https:\/\/b\.example/,
  },
};

for (const [name, one] of Object.entries(LOGIN_CASES)) {
  test(`the instance: ${name}`, async () => {
    const env = { ...one.env, XDG_CONFIG_HOME: join(HOME, name) };
    await logIn(env, ...one.logins);
    const chosen = readConnection(one.options ?? {}, one.host ?? host, env);
    if (one.leadsTo instanceof RegExp) return assert.rejects(chosen, one.leadsTo);
    const { origin, holder } = await chosen;
    assert.deepEqual([origin, holder], one.leadsTo);
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
  const { origin, holder, remedy } = await readConnection({}, PACKAGED, env);
  assert.deepEqual([origin, holder, remedy], [A, "of-a", `Check url in ${path}.`]);
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
