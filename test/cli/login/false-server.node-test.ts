import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { loginPath } from "../../../src/cli/login/store.ts";
import { inProject } from "../../../src/cli/paths.ts";

const CLI = inProject("src/cli/akimbo.ts");
/** Clears a terminal, turns the direction of text, and begins a new line. */
const HOSTILE = "\u001b[2J\u009b2J\u202e\u2066\r\n";
const UNSEEN = /(?!\n)[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

const METADATA = "/.well-known/oauth-authorization-server";

const metadataOf = (origin: string) => ({
  issuer: origin,
  authorization_endpoint: `${origin}/authorize`,
  token_endpoint: `${origin}/token`,
  revocation_endpoint: `${origin}/revoke`,
  device_authorization_endpoint: `${origin}/device_authorization`,
});

const codeOf = (origin: string) => ({
  device_code: "kmd_1",
  user_code: "ABCD-EFGH",
  verification_uri: `${origin}/device`,
  verification_uri_complete: `${origin}/device?user_code=ABCD-EFGH`,
  expires_in: 600,
  interval: 1,
});

const TOKENS = {
  access_token: `kma_${"a".repeat(80)}`,
  refresh_token: `kmr_${"b".repeat(80)}`,
  expires_in: 3_600,
  scope: "posts:read",
};

interface Change {
  metadata?: object | string;
  code?: object | string;
  tokens?: object | string;
  status?: number;
}

/** Signs in by a code at a server that changes its answers like this, with an own folder for the login. */
async function signIn(t: TestContext, changeOf: (origin: string) => Change) {
  const folder = await mkdtemp(join(tmpdir(), "akimbo-login-"));
  const asked: { path: string; at: number }[] = [];
  const server = createServer((request, response) => {
    const { url: path = "" } = request;
    asked.push({ path, at: Date.now() });
    const { metadata, code, tokens, status = 200 } = changeOf(origin);
    const answers: Record<string, [good: object, change?: object | string]> = {
      [METADATA]: [metadataOf(origin), metadata],
      "/device_authorization": [codeOf(origin), code],
      "/token": [TOKENS, tokens],
    };
    const [good, change = {}] = answers[path] ?? [{}];
    response.statusCode = path === METADATA ? 200 : status;
    response.end(typeof change === "string" ? change : JSON.stringify({ ...good, ...change }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.after(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  });
  const env = { ...process.env, XDG_CONFIG_HOME: folder, STATE_DIR: folder };
  const path = loginPath(origin, env);
  const run = () =>
    new Promise<{ code: number; out: string; error: string }>((resolve) => {
      const args = [CLI, "login", "--device", "--url", origin];
      const child = execFile(process.execPath, args, { env, cwd: folder }, (_, out, error) =>
        resolve({ code: child.exitCode ?? -1, out, error }),
      );
    });
  return { folder, path, asked, run };
}

type Case = [name: string, changeOf: (origin: string) => Change, error: RegExp];

const long = { error: "x", error_description: `${HOSTILE}No. ${"x".repeat(1_000)}` };

const REFUSED: readonly Case[] = [
  ["issuer", () => ({ metadata: { issuer: `https://${HOSTILE}` } }), /says that it is https:/],
  [
    "endpoint",
    () => ({ metadata: { token_endpoint: `https://b${HOSTILE}` } }),
    /sends its sign-in/,
  ],
  ["metadata", () => ({ metadata: " ".repeat(70_000) }), /answers \/.well-known\S+ with more than/],
  ["error", () => ({ status: 400, code: { error: HOSTILE } }), /^POST \/device_auth\w+: 400/],
  [
    "description",
    () => ({ status: 400, code: long }),
    /^POST .{0,30} 400 .{0,9}No\. x{150,200}\n$/,
  ],
  ["body", () => ({ status: 400, code: `${HOSTILE}No.` }), /400 .*No\.\n$/],
  ["code", () => ({ code: { user_code: `AB\u001b[2J` } }), /gives no code that can be typed/],
  ["length of a code", () => ({ code: { user_code: "A".repeat(21) } }), /gives no code/],
  ["page", () => ({ code: { verification_uri: "https://b.example/" } }), /to https:\/\/b\.example/],
  ["script", () => ({ code: { verification_uri: "javascript:alert(1)" } }), /elsewhere, to javas/],
  ["blob", (o) => ({ code: { verification_uri: `blob:${o}/1` } }), /elsewhere, to blob:/],
  [
    "user name",
    (o) => ({ code: { verification_uri_complete: o.replace("//", "//bank.example@") } }),
    /elsewhere, to http:\/\/bank/,
  ],
  ["token", () => ({ tokens: { access_token: HOSTILE } }), /holds no tokens of Akimbo/],
  ["renewing token", () => ({ tokens: { refresh_token: "1" } }), /holds no tokens of Akimbo/],
  ["long answer", () => ({ tokens: " ".repeat(70_000) }), /answers \/token with more than/],
];

for (const [name, changeOf, words] of REFUSED) {
  test(`a false server's ${name} ends the sign-in in a sentence`, async (t) => {
    const { path, run } = await signIn(t, changeOf);
    const { code, out, error } = await run();
    assert.equal(code, 1, error);
    assert.match(error, words);
    assert.doesNotMatch(out + error, UNSEEN);
    assert.equal(error.trimEnd().split("\n").length, 1, error);
    await assert.rejects(readFile(path), /ENOENT/);
  });
}

test("the times, the addresses and the scopes of a server are kept within bounds", async (t) => {
  const { asked, path, run } = await signIn(t, (origin) => ({
    code: { interval: -5, expires_in: 1e300, verification_uri: `${origin}/device#${HOSTILE}` },
    tokens: { scope: `posts:read ${HOSTILE}x`, expires_in: 1e300 },
  }));
  const { code, out, error } = await run();
  assert.equal(code, 0, error);
  assert.match(out, /The code lasts 30 minutes\./);
  assert.match(out, /Allowed: Read posts, /);
  assert.doesNotMatch(out + error, UNSEEN);
  const [, begun, polled] = asked.map(({ at }) => at);
  assert.ok((polled ?? 0) - (begun ?? 0) >= 900);
  const { expiresAt } = JSON.parse(await readFile(path, "utf8"));
  assert.ok(expiresAt <= Date.now() + 365 * 24 * 3_600_000);
});

const UNWRITABLE: [name: string, prepare: (path: string) => Promise<unknown>, words: RegExp][] = [
  ["lock is a folder", (path) => mkdir(`${path}.lock`, { recursive: true }), /lock is a folder\./],
  ["file is a folder", (path) => mkdir(path, { recursive: true }), /json is a folder\. Remove it/],
  [
    "folder is a file",
    async (path) => {
      await mkdir(dirname(dirname(path)));
      await writeFile(dirname(path), "");
    },
    /The folder .*logins cannot be made/,
  ],
];

for (const [name, prepare, words] of UNWRITABLE) {
  test(`a login whose ${name} is not asked for`, async (t) => {
    const { asked, path, run } = await signIn(t, () => ({}));
    await prepare(path);
    const { code, error } = await run();
    assert.equal(code, 1);
    assert.match(error, words);
    assert.deepEqual(
      asked.map(({ path }) => path),
      [METADATA],
    );
  });
}

const hasModes = process.platform !== "win32";

test("a folder that others may write to is named", { skip: !hasModes }, async (t) => {
  const { path, run } = await signIn(t, () => ({}));
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o770);
  const { code, error } = await run();
  assert.equal(code, 0);
  assert.ok(error.includes(`Keep it to yourself: chmod 700 "${folder}"\n`), error);
  await chmod(folder, 0o755);
  assert.equal((await run()).error, "");
});
