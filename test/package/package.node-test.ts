import assert from "node:assert/strict";
import { type ExecFileOptions, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { inProject } from "../../src/cli/paths.ts";
import { createGradientPng } from "../../src/cli/png.ts";
import { createSampleVideoHead } from "../../src/cli/sample-video.ts";
import { BridgeClient } from "../cli/bridge/client.ts";
import { type LocalService, startLocalService } from "../cli/local-service.ts";

const exec = promisify(execFile);

/** Two parts. */
const FILM_BYTES = 20_000_000;

/** The oldest Node that the package promises to run on, where this machine has one of its own. */
const OWN_NODES = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];

let folder: string;
let service: LocalService;
let bin: string;

/** The environment of somebody who has Node, and neither the project nor its tools. */
function strangersEnv(): NodeJS.ProcessEnv {
  const clean = Object.entries(process.env).filter(([name]) => !name.startsWith("npm_"));
  const own = OWN_NODES.find((path) => existsSync(join(path, "node")));
  const path = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((one) => !one.includes("node_modules"));
  return {
    ...Object.fromEntries(clean),
    PATH: [...(own ? [own] : []), ...path].join(delimiter),
    HOME: folder,
    AKIMBO_URL: service.origin,
    AKIMBO_TOKEN: service.token,
  };
}

const run = (file: string, args: string[], options: ExecFileOptions = {}) =>
  exec(file, args, { cwd: folder, env: strangersEnv(), encoding: "utf8", ...options });

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "akimbo-package-"));
  service = await startLocalService();
  await exec("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: inProject(".") });
  const [packed = ""] = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
  await writeFile(
    join(folder, "package.json"),
    JSON.stringify({ name: "stranger", type: "module" }),
  );
  // No registry is asked: all that the package needs is in it.
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", `./${packed}`]);
  bin = join(folder, "node_modules", ".bin", "akimbo");
});

after(async () => {
  await service?.stop();
  await rm(folder, { recursive: true });
});

test("the package is small, and holds nothing but the program, the client and their texts", async () => {
  const root = join(folder, "node_modules", "akimbo");
  const files = (await readdir(root, { recursive: true, withFileTypes: true }))
    .filter((one) => one.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1));
  const own = files.filter((name) => !name.startsWith("node_modules/"));
  assert.deepEqual(own.sort(), [
    ".github/LICENSE.md",
    ".package/THIRD-PARTY.txt",
    ".package/akimbo.js",
    ".package/client/api.d.ts",
    ".package/client/error.d.ts",
    ".package/client/events.d.ts",
    ".package/client/idempotency.d.ts",
    ".package/client/index.d.ts",
    ".package/client/index.js",
    ".package/client/retry.d.ts",
    ".package/client/upload.d.ts",
    ".package/client/verify-webhook.d.ts",
    ".package/client/wait-for.d.ts",
    "README.md",
    "package.json",
  ]);
  assert.deepEqual(await readdir(join(folder, "node_modules")), [
    ".bin",
    ".package-lock.json",
    "akimbo",
  ]);
  assert.ok((await stat(join(root, ".package/akimbo.js"))).size < 3_000_000);
  const client = await readFile(join(root, ".package/client/index.js"), "utf8");
  assert.ok(client.length < 20_000 && !client.includes("node:"), "the client is for browsers too");
  const program = await readFile(join(root, ".package/akimbo.js"), "utf8");
  assert.ok(!program.includes(inProject(".")), "the program names a folder of this machine");
});

test("the program runs: accounts, posts, files, events, and what it leaves to the project", async (t) => {
  t.diagnostic(`Node ${String((await run("node", ["--version"])).stdout).trim()}`);
  assert.equal(String((await run(bin, ["--version"])).stdout).trim(), "1.0.0");
  const shown = await run(bin, ["accounts", "--platform", "bluesky"]);
  const accounts = JSON.parse(String(shown.stdout));
  assert.equal(accounts[0].accountName, "Demo");
  const posted = await run(bin, ["post", "From a package", "--account", accounts[0].id]);
  assert.equal(JSON.parse(String(posted.stdout)).status, "completed");
  const film = join(folder, "film.mp4");
  await writeFile(film, createSampleVideoHead("packed", FILM_BYTES));
  await truncate(film, FILM_BYTES);
  const stored = await run(bin, ["upload", film, "--json"]);
  assert.match(JSON.parse(String(stored.stdout)).bucketUrl, /\/storage\/presigned\//);
  assert.equal(await forwardedEvent(), "upload.completed");
  assert.match(
    String((await run(bin, ["doctor"])).stdout),
    /The token works: 13 accounts, 13 active/,
  );
  const made = JSON.parse(String((await run(bin, ["token", "create", "--name", "Packed"])).stdout));
  assert.match(
    String((await run(bin, ["token", "list", "--no-json"])).stdout),
    /^\d+ +Packed +kmb_/m,
  );
  await run(bin, ["token", "revoke", String(made.id)]);
  await assert.rejects(run(bin, ["accounts", "--token", made.token]), /401/);
  await assert.rejects(run(bin, ["plan", "show"]), /npm run cli -- plan/);
  await assert.rejects(
    run(bin, ["login", "--url", "http://akimbo.example"]),
    /Use its https address/,
  );
  await assert.rejects(run(bin, ["logout"]), /You are not signed in to http:\/\/localhost/);
});

/** Lets `listen` forward the events of the last minute; the name of the first that arrives. */
async function forwardedEvent(): Promise<string> {
  const arrival = Promise.withResolvers<string>();
  const server = createServer((request, response) => {
    arrival.resolve(String(request.headers["x-webhook-event"]));
    response.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const since = new Date(Date.now() - 60_000).toISOString();
  const args = ["listen", "--forward-to", url, "--since", since, "--type", "upload.completed"];
  const child = spawn(bin, [...args, "--json"], { cwd: folder, env: strangersEnv() });
  try {
    const [line] = await once(createInterface({ input: child.stdout }), "line");
    const { event, reply } = JSON.parse(line);
    assert.deepEqual([event, reply.status], [await arrival.promise, "200"]);
    return event;
  } finally {
    child.kill("SIGTERM");
    await once(child, "exit");
    server.closeAllConnections();
    server.close();
  }
}

test("npx runs the bridge, which publishes a local photo", async () => {
  const photos = join(folder, "photos");
  await mkdir(photos);
  const png = createGradientPng({ width: 300, height: 300, from: [1, 99, 9], to: [250, 90, 90] });
  await writeFile(join(photos, "photo.png"), png);
  const client = new BridgeClient("npx", ["akimbo", "mcp", "--allow", photos], {
    ...{ cwd: folder, env: strangersEnv() },
  });
  await client.shakeHands();
  const { structuredContent } = await client.call("list_accounts", { platform: "bluesky" });
  const [{ id }] = structuredContent.accounts;
  const args = { accountIds: [id], text: "A packed photo", paths: ["photo.png"] };
  const result = await client.call("publish_carousel", args);
  assert.equal(result.structuredContent?.posts[0].success, true, JSON.stringify(result));
  assert.equal(await client.end(), 0);
});

test("the client has types that a program compiles against, and runs", async () => {
  const program = `
import { createAkimbo, toForm, InvalidWebhook, verifyWebhook, type Schemas } from "akimbo/client";
const akimbo = createAkimbo({ url: process.argv[2] ?? "", token: process.argv[3] ?? "" });
const { data, error } = await akimbo.GET("/api/v1/accounts", { params: { query: { platform: "bluesky" } } });
if (error) throw new Error(error.error);
const first: Schemas["Account"] | undefined = data.data[0];
console.log(first?.accountName);
const film = new File([new Uint8Array(20_000_000)], "film.mp4", { type: "video/mp4" });
const parts: number[] = [];
const stored = await akimbo.upload(film, { onProgress: (sent) => parts.push(sent) });
console.log(parts.length, /presigned/.test(stored.bucketUrl));
const made = await akimbo.POST("/api/v1/upload", {
  body: { accountId: first?.id ?? "", description: "From the client" },
  bodySerializer: toForm,
});
if (made.error) throw new Error(made.error.error);
const post = await akimbo.waitFor(made.data.data);
const ids: unknown[] = [];
for await (const { data } of akimbo.events({ type: "upload.completed" })) ids.push(data.uploadId);
console.log(post.status, ids.includes(post.id));
await verifyWebhook("{}", {}, "whsec").catch((error) => console.log(error instanceof InvalidWebhook));
// @ts-expect-error there is no such platform
void (() => akimbo.GET("/api/v1/accounts", { params: { query: { platform: "myspace" } } }));
`;
  await writeFile(join(folder, "program.ts"), program);
  const compiler = inProject("src", "client", "node_modules", "typescript", "bin", "tsc");
  const types = inProject("node_modules", "@types");
  await run("node", [
    ...[compiler, "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2022"],
    ...["--lib", "es2022,dom,dom.iterable", "--types", "node", "--typeRoots", types, "program.ts"],
  ]);
  const { stdout } = await run("node", ["program.js", service.origin, service.token]);
  assert.equal(String(stdout).trim(), "Demo\n2 true\ncompleted true\ntrue");
});
