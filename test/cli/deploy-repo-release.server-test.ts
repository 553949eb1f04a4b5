import { deepEqual, equal, match } from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { hashOf } from "../../src/cli/deploy-repo/release.ts";
import { writeDeployRepo } from "../../src/cli/deploy-repo.ts";
import { inProject } from "../../src/cli/paths.ts";
import { createReleaseKey, publicKeyOf, signRelease } from "../../src/cli/release.ts";
import { openRelease, type Release } from "../../src/core/release.ts";
import { readReleaseKeys } from "../../src/core/release-keys.ts";
import { VERSION } from "../../src/core/version.ts";

const { privateKey, publicKey } = createReleaseKey("r1");
const home = await mkdtemp(join(tmpdir(), "akimbo-signed-"));
/** The folder of a person, as the button copied it. */
const own = join(home, "own");
/** Where releases are published. */
const published = join(home, "published");

let server: Server;
let url: string;

before(async () => {
  server = createServer(async ({ url: path = "" }, answer) => {
    const content = await readFile(join(published, path)).catch(() => null);
    answer.writeHead(content ? 200 : 404).end(content ?? "");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/release.json`;
  await writeDeployRepo(published, {
    signing: { keyId: "r1", privateKey, date: "2026-11-28", releasesUrl: url },
  });
  await cp(published, own, { recursive: true });
  await symlink(inProject("node_modules"), join(own, "node_modules"));
});

after(async () => {
  server.close();
  await rm(home, { recursive: true });
});

async function run(...args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, args, {
    cwd: own,
    stdio: ["ignore", "pipe", "pipe"],
    // No account answers here: a deployment that gets past the check fails.
    env: {
      ...process.env,
      CLOUDFLARE_API_BASE_URL: "http://127.0.0.1:9",
      CLOUDFLARE_API_TOKEN: "x",
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}

const readSigned = (folder: string) => readFile(join(folder, "release.json"), "utf8");
const open = async (folder: string) =>
  openRelease(await readSigned(folder), readReleaseKeys(publicKey));

/** Publishes a release with other contents of these files. */
async function publish(version: string, contents: Record<string, string>): Promise<void> {
  const release: Release = await open(published);
  for (const [path, text] of Object.entries(contents)) {
    await writeFile(join(published, path), text);
    const file = { path, sha256: hashOf(Buffer.from(text)), bytes: Buffer.byteLength(text) };
    release.files = [...release.files.filter((one) => one.path !== path), file];
  }
  const changes = ["Posts fly."];
  const signed = signRelease({ ...release, version, changes }, { id: "r1", privateKey });
  await writeFile(join(published, "release.json"), signed);
}

test("the folder names its key, and lists every file but the owner's", async () => {
  const { vars } = JSON.parse(await readFile(join(own, "wrangler.jsonc"), "utf8"));
  equal(vars.RELEASE_KEYS, publicKeyOf("r1", privateKey));
  equal(vars.RELEASES_URL, url);
  const { files, version } = await open(own);
  equal(version, VERSION);
  const entries = await readdir(published, { recursive: true, withFileTypes: true });
  const all = entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
  equal(files.length, all.length - ["wrangler.jsonc", "release.json"].length);
});

test("a folder that is not the signed release is not deployed", async () => {
  const path = join(own, "worker", "worker.js");
  const script = await readFile(path, "utf8");
  await writeFile(path, `${script}\n// another line`);
  const refused = await run("deploy.mjs");
  equal(refused.code, 1);
  match(refused.output, /worker\/worker\.js was changed\.\nThis is not the signed release/);
  const forced = await run("deploy.mjs", "--unsigned");
  match(forced.output, /wrangler's words are above/);
  await writeFile(path, script);
  const whole = await run("deploy.mjs");
  match(whole.output, /wrangler's words are above/);
});

test("the newest release is said to be here", async () => {
  const { code, output } = await run("update.mjs");
  equal(code, 0, output);
  match(output, /is the newest release/);
});

test("an update brings the changed files, and leaves the owner's", async () => {
  await writeFile(
    join(own, "wrangler.jsonc"),
    (await readFile(join(own, "wrangler.jsonc"), "utf8")).replace('"akimbo"', '"mine"'),
  );
  const manifest = JSON.parse(await readFile(join(published, "package.json"), "utf8"));
  await publish("99.0.0", {
    "package.json": JSON.stringify({ ...manifest, version: "99.0.0" }),
    "worker/new.js": "export {};\n",
  });
  const { code, output } = await run("update.mjs");
  equal(code, 0, output);
  match(output, /99\.0\.0 of 2026-11-28 is here/);
  match(output, /- Posts fly\./);
  equal(await readFile(join(own, "worker", "new.js"), "utf8"), "export {};\n");
  match(await readFile(join(own, "wrangler.jsonc"), "utf8"), /"mine"/);
  deepEqual(await open(own), await open(published));
});

test("nothing changes where a file differs from the release, its key is another, or it is older", async () => {
  const before = await readSigned(own);
  await publish("99.1.0", { "worker/new.js": "export const a = 1;\n" });
  await writeFile(join(published, "worker", "new.js"), "export const evil = 1;\n");
  const changed = await run("update.mjs");
  equal(changed.code, 1);
  match(changed.output, /worker\/new\.js is not the file that was released/);

  const other = createReleaseKey("r1").privateKey;
  const release = { ...(await open(published)), version: "99.2.0" };
  await writeFile(
    join(published, "release.json"),
    signRelease(release, { id: "r1", privateKey: other }),
  );
  const stranger = await run("update.mjs");
  equal(stranger.code, 1);
  match(stranger.output, /is not signed by a key that this instance knows/);

  const old = signRelease({ ...release, version: "98.0.0" }, { id: "r1", privateKey });
  await writeFile(join(published, "release.json"), old);
  const older = await run("update.mjs");
  equal(older.code, 1);
  match(older.output, /98\.0\.0 is older than 99\.0\.0/);

  equal(await readSigned(own), before);
  equal(await readFile(join(own, "worker", "new.js"), "utf8"), "export {};\n");
});
