import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, test } from "node:test";
import { createApi, ensureSandboxAccounts } from "../../../src/cli/api.ts";
import { type Login, loginPath } from "../../../src/cli/login/store.ts";
import { inProject } from "../../../src/cli/paths.ts";
import { createGradientPng } from "../../../src/cli/png.ts";
import { BridgeClient } from "../bridge/client.ts";
import { type LocalService, startLocalService } from "../local-service.ts";

const CLI = inProject("src/cli/akimbo.ts");

let service: LocalService;
let folder: string;
let cookie: string;
let account: string;
let env: NodeJS.ProcessEnv;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "akimbo-login-"));
  service = await startLocalService();
  const api = createApi(service.origin, service.token);
  [account = ""] = await ensureSandboxAccounts(api, ["bluesky"]);
  env = {
    ...process.env,
    ...{ STATE_DIR: folder, XDG_CONFIG_HOME: join(folder, "config"), AKIMBO_URL: service.origin },
    ...{ AKIMBO_TOKEN: undefined, AKIMBO_DEMO_TOKEN: undefined, INIT_CWD: undefined },
    ...{ DISPLAY: undefined, WAYLAND_DISPLAY: undefined },
  };
  cookie = await signIn();
});

after(async () => {
  await service?.stop();
  await rm(folder, { recursive: true });
});

/** A session of the owner; its cookies. */
async function signIn(): Promise<string> {
  const { out, error } = await run(["signin-link"], { STATE_DIR: service.stateDir });
  const link = /\/sign-in\/link\S+/.exec(out)?.[0];
  assert.ok(link, error);
  const token = new URL(link, service.origin).searchParams.get("token") ?? "";
  const answer = await sendForm(service.origin, "/sign-in/link", { token });
  assert.equal(answer.status, 303);
  return answer.headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");
}

function start(args: string[], more: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [CLI, ...args], { cwd: folder, env: { ...env, ...more } });
  child.stdin.end();
  const output = { out: "", error: "" };
  child.stdout.on("data", (chunk) => {
    output.out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output.error += chunk;
  });
  const ended = once(child, "close").then(([code]) => ({ ...output, code: code as number }));
  /** Resolves once the output has this. */
  const printed = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const match = pattern.exec(output.out);
      if (match) return match[1] ?? match[0];
      const next = await Promise.race([once(child.stdout, "data"), ended]);
      if (!Array.isArray(next)) assert.fail(JSON.stringify(next));
    }
  };
  return { printed, ended };
}

const run = (args: string[], more: NodeJS.ProcessEnv = {}) => start(args, more).ended;

/** What the person's browser does. It follows no redirect. */
function sendForm(origin: string, path: string, fields: Record<string, string | string[]>) {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of [value].flat()) body.append(name, one);
  }
  const headers = { "sec-fetch-site": "same-origin", ...(cookie ? { cookie } : {}) };
  return fetch(origin + path, { method: "POST", body, headers, redirect: "manual" });
}

/** Answers the question of a program on its page. */
async function decide(html: string, origin: string, decision: "allow" | "deny", scopes?: string[]) {
  const action = [...html.matchAll(/<form method="post" action="([^"]*)"/g)]
    .map(([, address = ""]) => address.replaceAll("&amp;", "&"))
    .at(-1);
  const person = /name="person" value="(\d+)"/.exec(html)?.[1];
  assert.ok(action && person, html);
  const ticked = [...html.matchAll(/<input[^>]*name="scopes"[^>]*>/g)]
    .map(([tag]) => tag)
    .filter((tag) => tag.includes("checked"))
    .map((tag) => /value="([^"]*)"/.exec(tag)?.[1] ?? "");
  const fields = { person, scopes: scopes ?? ticked, which: "all", days: "", decision };
  return sendForm(origin, action, fields);
}

const pageOf = async (address: string): Promise<string> =>
  (await fetch(address, { headers: { cookie } })).text();

/** Decides on the page of the program, and goes where that sends the browser. */
async function visit(address: string, decision: "allow" | "deny" = "allow", scopes?: string[]) {
  const answer = await decide(await pageOf(address), new URL(address).origin, decision, scopes);
  const to = /url=(.*)$/.exec(answer.headers.get("refresh") ?? "")?.[1];
  assert.ok(to, await answer.text());
  return to;
}

const ADDRESS = /(http:\/\/\S+\/authorize\?\S+)/;

async function logIn(args: string[] = [], scopes?: string[]) {
  const { printed, ended } = start(["login", "--no-browser", ...args]);
  const back = await fetch(await visit(await printed(ADDRESS), "allow", scopes));
  return { page: back, ...(await ended) };
}

const pathOf = (origin = service.origin) => loginPath(origin, env);
const stored = async (origin?: string): Promise<Login> =>
  JSON.parse(await readFile(pathOf(origin), "utf8"));
const change = async (more: Partial<Login>): Promise<void> =>
  writeFile(pathOf(), JSON.stringify({ ...(await stored()), ...more }));

const listAccounts = (token: string) =>
  fetch(`${service.origin}/api/v1/accounts`, { headers: { authorization: `Bearer ${token}` } });

test("a person signs in by a browser on this machine, and publishes", async () => {
  const { page, out, error, code } = await logIn();
  assert.equal(code, 0, error);
  assert.equal(page.status, 200);
  assert.equal(page.headers.get("cache-control"), "no-store");
  assert.match(await page.text(), /You are signed in\. You can close this page\./);
  assert.match(
    out,
    new RegExp(`You are signed in to ${service.origin}\\.\nAllowed: .*Publish posts`),
  );
  assert.doesNotMatch(out + error, /km[arc]_/);
  assert.equal((await stat(pathOf())).mode & 0o777, 0o600);

  const accounts = await run(["accounts"]);
  assert.equal(JSON.parse(accounts.out)[0].id, account, accounts.error);
  const posted = await run(["post", "By a login", "--account", account]);
  assert.equal(JSON.parse(posted.out).status, "completed", posted.error);
  assert.equal((await run(["status"])).code, 0);
});

test("a browser opens where there is one", { skip: process.platform !== "linux" }, async () => {
  const programs = join(folder, "programs");
  await mkdir(programs);
  const opened = join(folder, "opened");
  await writeFile(
    join(programs, "xdg-open"),
    `#!/bin/sh\nprintf %s "$1" > ${opened}.new\nmv ${opened}.new ${opened}\n`,
    {
      mode: 0o755,
    },
  );
  const PATH = programs + delimiter + process.env.PATH;
  const { printed, ended } = start(["login"], {
    ...{ PATH, DISPLAY: ":0", CI: undefined, SSH_CONNECTION: undefined, SSH_TTY: undefined },
  });
  const address = await printed(ADDRESS);
  await fetch(await visit(address));
  assert.equal((await ended).code, 0);
  assert.equal(await readFile(opened, "utf8"), address);
});

test("the listener answers its own browser alone", async () => {
  const { printed, ended } = start(["login", "--no-browser"]);
  const address = await printed(ADDRESS);
  const redirect = new URL(new URL(address).searchParams.get("redirect_uri") ?? "");
  assert.equal(redirect.hostname, "127.0.0.1");
  for (const path of ["/", "/callback", "/callback?code=1&state=wrong", "/callback?error=x"]) {
    assert.equal((await fetch(new URL(path, redirect))).status, 404, path);
  }
  const back = new URL(await visit(address));
  back.searchParams.set("iss", "https://other.example");
  const page = await fetch(back);
  assert.equal(page.status, 400);
  assert.match(await page.text(), /The answer is not one of/);
  const { code, error } = await ended;
  assert.equal(code, 1);
  assert.match(error, /The answer is not one of http/);
  await assert.rejects(fetch(redirect));
});

test("a refusal is said in the terminal and on the page", async () => {
  const { printed, ended } = start(["login", "--no-browser"]);
  const page = await fetch(await visit(await printed(ADDRESS), "deny"));
  assert.match(await page.text(), /You are not signed in: The person refused\./);
  const { code, error } = await ended;
  assert.deepEqual([code, error], [1, "You are not signed in: The person refused.\n"]);
});

test("a person may allow less, and the command line says so", async () => {
  const asked = ["--scope", "posts:read posts:publish"];
  const { out, code } = await logIn(asked, ["posts:read"]);
  assert.equal(code, 0);
  assert.match(out, /Allowed: Read posts\.\nNot allowed: Publish posts\./);
  const refused = await run(["accounts"]);
  assert.equal(refused.code, 1);
  assert.match(refused.error, /403/);
});

test("a person signs in by a code", async () => {
  const { printed, ended } = start(["login"]);
  const code = await printed(/code there: +(\S+)/);
  const complete = await printed(/Or open (\S+)/);
  const page = await pageOf(complete);
  assert.ok(page.includes(`value="${code}"`));
  const action = /<form method="post" action="(\/device\?[^"]*)"/.exec(page)?.[1] ?? "";
  const consent = await sendForm(service.origin, action, { user_code: code });
  const end = await decide(await consent.text(), service.origin, "allow");
  assert.match(await end.text(), /You can go back to the terminal/);
  const { out, error, code: exit } = await ended;
  assert.equal(exit, 0, error);
  assert.match(out, /You are signed in to/);
  assert.equal((await run(["accounts"])).code, 0);
});

test("a login is renewed when it is over, when it is refused, and by several at once", async () => {
  const first = await stored();
  await change({ expiresAt: 0 });
  const all = await Promise.all([1, 2, 3].map(() => run(["accounts"])));
  assert.deepEqual(
    all.map(({ code, error }) => [code, error]),
    all.map(() => [0, ""]),
  );
  const second = await stored();
  assert.notEqual(second.accessToken, first.accessToken);
  assert.notEqual(second.refreshToken, first.refreshToken);
  await change({ accessToken: "kma_0", expiresAt: Date.now() + 3_600_000 });
  assert.equal((await run(["accounts"])).code, 0);
  assert.notEqual((await stored()).accessToken, "kma_0");
  assert.equal((await stored()).id, first.id);
});

test("the bridge works by the login, and renews it while it runs", async () => {
  const photos = join(folder, "photos");
  await mkdir(photos);
  const png = createGradientPng({ width: 300, height: 300, from: [1, 99, 9], to: [250, 90, 90] });
  await writeFile(join(photos, "photo.png"), png);
  const bridge = new BridgeClient(process.execPath, [CLI, "mcp", "--allow", photos], {
    ...{ cwd: folder, env },
  });
  await bridge.shakeHands();
  const { structuredContent } = await bridge.call("list_accounts", {});
  assert.ok(structuredContent.accounts.some(({ id }: { id: string }) => id === account));
  await change({ expiresAt: 0 });
  const args = { accountIds: [account], text: "By a login", paths: ["photo.png"] };
  const result = await bridge.call("publish_carousel", args);
  assert.equal(result.structuredContent?.posts[0].success, true, JSON.stringify(result));
  await change({ accessToken: "kma_0", expiresAt: Date.now() + 3_600_000 });
  assert.ok(!(await bridge.call("list_accounts", {})).isError);
  assert.equal(await bridge.end(), 0);
});

test("a login that was ended on the page Tokens says how to sign in again", async () => {
  const { data } = await service.api("GET", "/tokens");
  const own = data.filter(({ name }: { name: string }) => name === "Akimbo command line");
  assert.equal(own.length, 1, "a new login ends the one before it");
  await service.api("DELETE", `/tokens/${own[0].id}`);
  const { code, error } = await run(["accounts"]);
  assert.equal(code, 1);
  assert.match(error, /has ended\. Sign in again: npm run cli -- login --url http/);
});

test("a logout ends the login here and there", async () => {
  await logIn();
  const { accessToken } = await stored();
  assert.equal((await listAccounts(accessToken)).status, 200);
  const { code, out, error } = await run(["logout"]);
  assert.deepEqual([code, out], [0, `You are signed out of ${service.origin}.\n`], error);
  assert.equal((await listAccounts(accessToken)).status, 401);
  await assert.rejects(stored(), /ENOENT/);
  assert.equal((await run(["logout"])).code, 1);
  const refused = await run(["accounts"]);
  assert.match(refused.error, /AKIMBO_URL needs AKIMBO_TOKEN too.*login --url/);
});

test("a logout works without the instance, and says what stays", async () => {
  await logIn();
  const login = await stored();
  await change({ revocationEndpoint: "http://localhost:1/revoke" });
  const { code, error } = await run(["logout"]);
  assert.equal(code, 3);
  assert.match(error, /removed from this machine, but .*\nEnd it at http.*\/app\/tokens\./);
  await assert.rejects(stored(), /ENOENT/);
  assert.equal((await listAccounts(login.accessToken)).status, 200);
});

test("127.0.0.1 is another address of an instance, with a login of its own", async () => {
  const origin = `http://127.0.0.1:${service.port}`;
  const { code, error } = await logIn(["--url", origin]);
  assert.equal(code, 0, error);
  assert.equal((await run(["accounts", "--url", origin])).code, 0);
  assert.equal((await run(["logout", "--url", `${origin}/`])).code, 0);
});

test("a server that is not the one that it says gets no sign-in", async (t) => {
  let body = {};
  const server = createServer((_, response) => {
    response.end(JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const login = () => run(["login", "--url", origin, "--no-browser"]);
  assert.match((await login()).error, /does not sign this program in/);
  const metadata = (await (
    await fetch(`${service.origin}/.well-known/oauth-authorization-server`)
  ).json()) as object;
  body = metadata;
  assert.match((await login()).error, new RegExp(`says that it is ${service.origin}`));
  body = { ...metadata, issuer: origin };
  assert.match((await login()).error, /sends its sign-in elsewhere/);
  const plain = await run(["login", "--url", "http://akimbo.example"]);
  assert.deepEqual(
    [plain.code, plain.error],
    [
      2,
      "Others could read the login on its way to http://akimbo.example. Use its https address.\n",
    ],
  );
});
