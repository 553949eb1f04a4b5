import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import {
  chmod,
  lutimes,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { chooseFlow, type Flow, type FlowOptions } from "../../../src/cli/login/browser.ts";
import { ofLogin, ofToken, sendWith } from "../../../src/cli/login/credential.ts";
import {
  type Login,
  listLogins,
  loginPath,
  readLogin,
  withLock,
  writeLogin,
} from "../../../src/cli/login/store.ts";
import { inProject } from "../../../src/cli/paths.ts";

const exec = promisify(execFile);
const HOUR_MS = 3_600_000;
/** No process has it. */
const DEAD_PID = 2 ** 30;

const access = (n: number): string => `kma_${String(n).padStart(80, "0")}`;
const refresh = (n: number): string => `kmr_${String(n).padStart(80, "0")}`;

/** A server that renews the refresh token `kmr_n` to `kmr_n+1`, always the same way. */
async function startServer(t: TestContext, answer: RequestListener = () => {}) {
  let renewals = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    renewals++;
    answer(request, response);
    if (response.writableEnded || response.destroyed) return;
    const next = Number((form.get("refresh_token") ?? "").replace("kmr_", "")) + 1;
    const tokens = { access_token: access(next), refresh_token: refresh(next) };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ ...tokens, expires_in: 3_600, scope: "posts:read" }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, count: () => renewals };
}

async function storeLogin(t: TestContext, origin: string, more: Partial<Login> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "akimbo-login-"));
  t.after(() => rm(folder, { recursive: true }));
  const env = { XDG_CONFIG_HOME: folder };
  const path = loginPath(origin, env);
  await writeLogin(path, {
    ...{ id: "login", accessToken: access(1), refreshToken: refresh(1), scope: "posts:read" },
    expiresAt: Date.now() - 1,
    ...{ tokenEndpoint: `${origin}/token`, revocationEndpoint: `${origin}/revoke` },
    ...more,
  });
  const place = { origin, path, remedy: "akimbo login --url X" };
  return { env, path, credential: ofLogin(place) };
}

test("a login is in a file that only its person reads", async (t) => {
  const { env, path } = await storeLogin(t, "https://a.example");
  await writeLogin(path, { ...((await readLogin(path)) as Login), scope: "posts:write" });
  assert.equal((await readLogin(path))?.scope, "posts:write");
  assert.deepEqual(await listLogins(env), ["https://a.example"]);
  assert.deepEqual(await readdir(dirname(path)), ["https%3A%2F%2Fa.example.json"]);
  if (process.platform === "win32") return;
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.equal((await stat(dirname(path))).mode & 0o777, 0o700);
});

test("a login that lasts is used as it is; one that is nearly over is renewed", async (t) => {
  const { origin, count } = await startServer(t);
  const lasting = await storeLogin(t, origin, { expiresAt: Date.now() + HOUR_MS });
  assert.deepEqual(await lasting.credential.header(), { authorization: `Bearer ${access(1)}` });
  const nearly = await storeLogin(t, origin, { expiresAt: Date.now() + 30_000 });
  assert.deepEqual(await nearly.credential.header(), { authorization: `Bearer ${access(2)}` });
  assert.equal(count(), 1);
  const stored = await readLogin(nearly.path);
  assert.deepEqual([stored?.id, stored?.refreshToken], ["login", refresh(2)]);
  assert.ok((stored?.expiresAt ?? 0) > Date.now() + HOUR_MS - 10_000);
});

test("processes and calls that ask at once renew the login once", async (t) => {
  const { origin, count } = await startServer(t);
  const { path, credential } = await storeLogin(t, origin);
  const program = inProject("test/cli/programs/renewing.ts");
  const processes = Array.from({ length: 3 }, () =>
    exec(process.execPath, [program, path, origin]),
  );
  const calls = Array.from({ length: 20 }, () => credential.header());
  const outputs = (await Promise.all(processes)).map(({ stdout }) => stdout.trim());
  const headers = (await Promise.all(calls)).map(({ authorization }) => authorization);
  assert.deepEqual(new Set([...outputs, ...headers]), new Set([`Bearer ${access(2)}`]));
  assert.equal(count(), 1);
  assert.deepEqual(await readdir(dirname(path)), [path.slice(dirname(path).length + 1)]);
});

test("the lock of a killed process does not hold others up", async (t) => {
  const { origin } = await startServer(t);
  const { path, credential } = await storeLogin(t, origin);
  await writeFile(`${path}.lock`, `${DEAD_PID} x`);
  assert.deepEqual(await credential.header(), { authorization: `Bearer ${access(2)}` });

  // Another process has its number by now, or it was killed before it wrote its own.
  for (const text of [`${process.pid} x`, ""]) {
    await writeFile(`${path}.lock`, text);
    const longAgo = Date.now() / 1_000 - 31;
    await utimes(`${path}.lock`, longAgo, longAgo);
    assert.equal(await withLock(path, async () => "done"), "done");
  }
  await assert.rejects(readFile(`${path}.lock`), /ENOENT/);
});

test("the lock of a running process does", async (t) => {
  const { path } = await storeLogin(t, "https://a.example");
  const order: string[] = [];
  const first = withLock(path, async () => {
    await new Promise((resolve) => setImmediate(resolve));
    order.push("first");
  });
  const second = withLock(path, async () => order.push("second"));
  await Promise.all([first, second]);
  assert.equal(order.length, 2);
  const held = withLock(path, () => withTaken(path));
  assert.equal(await held, false);
});

test("a lock that is a folder, and one that cannot be removed, name themselves", async (t) => {
  const { path } = await storeLogin(t, "https://a.example");
  await mkdir(`${path}.lock`);
  const refused = withLock(path, async () => "done");
  await assert.rejects(refused, {
    message: `${path}.lock is a folder. Remove it, and try again.`,
    exitCode: 1,
  });
  await rm(`${path}.lock`, { recursive: true });
  await symlink("nowhere", `${path}.lock`);
  const longAgo = Date.now() / 1_000 - 31;
  await lutimes(`${path}.lock`, longAgo, longAgo);
  assert.equal(await withLock(path, async () => "done"), "done");
  if (process.platform === "win32" || process.getuid?.() === 0) return;
  await writeFile(`${path}.lock`, `${DEAD_PID} x`);
  await chmod(dirname(path), 0o500);
  await assert.rejects(
    withLock(path, async () => "done"),
    (error: Error) => error.message.startsWith(`${path}.lock cannot be removed: `),
  );
  await chmod(dirname(path), 0o700);
});

/** Whether another could take the lock now. */
const withTaken = (path: string): Promise<boolean> =>
  writeFile(`${path}.lock`, "", { flag: "wx" }).then(
    () => true,
    () => false,
  );

test("a renewal whose answer is lost is repeated, and gets the same tokens", async (t) => {
  let answers = 0;
  const { origin } = await startServer(t, (_, response) => {
    if (++answers === 1) response.destroy();
  });
  const { credential } = await storeLogin(t, origin);
  await assert.rejects(credential.header(), /cannot be reached/);
  assert.deepEqual(await credential.header(), { authorization: `Bearer ${access(2)}` });
});

test("a login that was ended says how to sign in again", async (t) => {
  const { origin } = await startServer(t, (_, response) => {
    response.statusCode = 400;
    response.end(JSON.stringify({ error: "invalid_grant", error_description: "It has ended." }));
  });
  const { path, credential } = await storeLogin(t, origin);
  await assert.rejects(credential.header(), {
    message: `Your login at ${origin} has ended. Sign in again: akimbo login --url X`,
    exitCode: 1,
  });
  await rm(path);
  await assert.rejects(credential.header(), /You are not signed in to .*akimbo login --url X/);
});

test("a renewal with an answer of another form keeps the login as it is", async (t) => {
  const good = { access_token: access(2), refresh_token: refresh(2), scope: "posts:read" };
  const ANSWERS: [answer: string, words: RegExp][] = [
    [
      JSON.stringify({ ...good, access_token: "kma_2", expires_in: 60 }),
      /holds no tokens of Akimbo/,
    ],
    [JSON.stringify({ ...good, refresh_token: access(2), expires_in: 60 }), /holds no tokens/],
    [JSON.stringify({ ...good, access_token: `${access(2)}\r\n`, expires_in: 60 }), /no tokens/],
    [JSON.stringify({ ...good, expires_in: "60" }), /holds no tokens/],
    [" ".repeat(70_000) + JSON.stringify({ ...good, expires_in: 60 }), /more than 65536 bytes/],
  ];
  let text = "";
  const { origin } = await startServer(t, (_, response) => void response.end(text));
  const { path, credential } = await storeLogin(t, origin);
  const before = await readFile(path, "utf8");
  for (const [answer, words] of ANSWERS) {
    text = answer;
    await assert.rejects(credential.header(), { message: words, exitCode: 1 });
    assert.equal(await readFile(path, "utf8"), before);
  }
});

test("a login lasts at most a year", async (t) => {
  const tokens = { access_token: access(2), refresh_token: refresh(2), scope: "posts:read" };
  const { origin } = await startServer(t, (_, response) => {
    response.end(JSON.stringify({ ...tokens, expires_in: 1e300 }));
  });
  const { path, credential } = await storeLogin(t, origin);
  await credential.header();
  const { expiresAt = 0 } = (await readLogin(path)) ?? {};
  assert.ok(expiresAt <= Date.now() + 365 * 24 * HOUR_MS);
});

test("a token that the server refuses is renewed once, and only for a login", async (t) => {
  const { origin, count } = await startServer(t);
  const { credential } = await storeLogin(t, origin, { expiresAt: Date.now() + HOUR_MS });
  const sent: unknown[] = [];
  const refuseAll = async (header: object) => {
    sent.push(header);
    return { response: new Response(null, { status: 401 }) };
  };
  assert.equal((await sendWith(credential, refuseAll)).response.status, 401);
  assert.deepEqual(sent, [
    { authorization: `Bearer ${access(1)}` },
    { authorization: `Bearer ${access(2)}` },
  ]);
  assert.equal(count(), 1);
  sent.length = 0;
  await sendWith(ofToken("kmb_1"), refuseAll);
  assert.deepEqual(sent, [{ authorization: "Bearer kmb_1" }]);
});

test("a file that holds no login names itself", async (t) => {
  const { path, credential } = await storeLogin(t, "https://a.example");
  await writeFile(path, "{");
  await assert.rejects(credential.header(), (error: Error) => error.message.includes(path));
});

const FLOWS: [name: string, FlowOptions, NodeJS.ProcessEnv, NodeJS.Platform, Flow][] = [
  ["a Mac", {}, {}, "darwin", "browser"],
  ["Windows", {}, {}, "win32", "browser"],
  ["Linux with a display", {}, { DISPLAY: ":0" }, "linux", "browser"],
  ["Linux with Wayland", {}, { WAYLAND_DISPLAY: "wayland-0" }, "linux", "browser"],
  ["Linux without a display", {}, {}, "linux", "code"],
  ["a Mac that is far away", {}, { SSH_CONNECTION: "1 2 3 4" }, "darwin", "code"],
  ["a build", {}, { CI: "true", DISPLAY: ":0" }, "linux", "code"],
  ["--device", { device: true }, { DISPLAY: ":0" }, "linux", "code"],
  ["--no-browser", { browser: false }, {}, "linux", "address"],
  ["both", { browser: false, device: true }, {}, "linux", "code"],
];

for (const [name, options, env, platform, flow] of FLOWS) {
  test(`${name}: signs in by ${flow}`, () => {
    assert.equal(chooseFlow(options, env, platform), flow);
  });
}
