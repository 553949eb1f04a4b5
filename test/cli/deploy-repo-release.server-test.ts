import { deepEqual, equal, match } from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { hashOf, isOwners } from "../../src/cli/deploy-repo/release.ts";
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
/** Answers of paths that are not the published file. */
const answers = new Map<string, (answer: ServerResponse) => void>();

before(async () => {
  server = createServer(async ({ url: path = "" }, answer) => {
    const other = answers.get(path);
    if (other) return other(answer);
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

const sign = (release: Release) =>
  writeFile(join(published, "release.json"), signRelease(release, { id: "r1", privateKey }));

/** Publishes a release with other contents of these files. */
async function publish(version: string, contents: Record<string, string>): Promise<void> {
  const release: Release = await open(published);
  for (const [path, text] of Object.entries(contents)) {
    await mkdir(dirname(join(published, path)), { recursive: true });
    await writeFile(join(published, path), text);
    const file = { path, sha256: hashOf(Buffer.from(text)), bytes: Buffer.byteLength(text) };
    release.files = [...release.files.filter((one) => one.path !== path), file];
  }
  await sign({ ...release, version, changes: ["Posts fly."] });
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

test("a file beside the release's is not deployed", async () => {
  for (const path of ["worker/extra.js", "assets/app/extra.html"]) {
    await writeFile(join(own, path), "");
    const { code, output } = await run("deploy.mjs");
    equal(code, 1);
    match(output, new RegExp(`^${path} is not a file of the release\\. Delete it`));
    await rm(join(own, path));
  }
  await symlink(home, join(own, "assets", "linked"));
  match((await run("deploy.mjs")).output, /^assets\/linked is not a file of the release/);
  await rm(join(own, "assets", "linked"));
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

  await sign({ ...release, version: "98.0.0" });
  const older = await run("update.mjs");
  equal(older.code, 1);
  match(older.output, /98\.0\.0 is older than 99\.0\.0/);

  equal(await readSigned(own), before);
  equal(await readFile(join(own, "worker", "new.js"), "utf8"), "export {};\n");
});

/** Publishes something that the folder refuses, and puts back what was published. */
async function refuses(prepare: (release: Release) => Promise<void>, reason: RegExp) {
  await rm(published, { recursive: true });
  await cp(own, published, { recursive: true, filter: (path) => !path.includes("node_modules") });
  const before = await readAll();
  await prepare(await open(published));
  const { code, output } = await run("update.mjs");
  answers.clear();
  equal(code, 1, output);
  match(output, reason);
  deepEqual(await readAll(), before);
}

/** The hashes of all files of the folder. */
async function readAll(): Promise<Map<string, string>> {
  const entries = await readdir(own, { recursive: true, withFileTypes: true });
  const paths = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const hashes = paths.sort().map(async (path) => [path, hashOf(await readFile(path))] as const);
  return new Map(await Promise.all(hashes));
}

test("an earlier release of the same version is refused", () =>
  refuses(
    (release) => sign({ ...release, date: "2026-11-27" }),
    /^99\.0\.0 of 2026-11-27 is older than 99\.0\.0 of 2026-11-28, which is here/,
  ));

test("files of the owner, of git, npm and wrangler belong to no release, however they are written", () => {
  const owners = [
    ...[
      "wrangler.jsonc",
      "Wrangler.JSONC",
      "wrangler.jsonc.",
      "wrangler.deploy.json",
      "release.json",
    ],
    ...[".dev.vars", ".env", ".npmrc", ".Git/config", "worker/.git/config", ".wrangler/state"],
    ...["node_modules/a.js", "Node_Modules/a.js", "worker/node_modules/a.js", ".git//config"],
  ];
  deepEqual(
    owners.filter((path) => !isOwners(path)),
    [],
  );
  const released = [
    "package.json",
    ".gitignore",
    ".akimbo-deploy",
    "worker/wrangler.jsonc",
    "update.mjs",
  ];
  deepEqual(released.filter(isOwners), []);
});

for (const path of [
  "wrangler.jsonc",
  ".git/hooks/pre-commit",
  "node_modules/wrangler/bin/wrangler.js",
]) {
  test(`a release does not write ${path}`, () =>
    refuses(async (release) => {
      const file = { path, sha256: hashOf(Buffer.from("x")), bytes: 1 };
      await sign({ ...release, version: "99.5.0", files: [...release.files, file] });
    }, /^The release has a file .*, which is not for a release to write\. Nothing was changed/));
}

for (const [link, path] of [
  ["linked", "linked/new.js"],
  ["linked.js", "linked.js"],
] as const) {
  test(`a release does not write ${path} through a link`, async () => {
    await symlink(home, join(own, link));
    await refuses(
      async () => {
        await rm(join(published, link), { force: true });
        await publish("99.5.0", { [path]: "x" });
      },
      new RegExp(`^${link} is a link, and an update writes no file through a link`),
    );
    await rm(join(own, link));
  });
}

/** Without an end, until the other side hangs up. */
function pour(answer: ServerResponse): void {
  const more = () => {
    while (!answer.destroyed && answer.write(Buffer.alloc(65_536, 120)));
  };
  answer.on("drain", more);
  more();
}

/** Says a length, and hangs up before it. */
function hangUp(answer: ServerResponse): void {
  answer.writeHead(200, { "content-length": "1000" }).write("ab", () => answer.destroy());
}

for (const [what, path, answer, reason] of [
  [
    "is longer than it was signed",
    "/worker/new.js",
    pour,
    /^worker\/new\.js is not the file that was released\. Nothing was changed/,
  ],
  ["has no end", "/release.json", pour, /release\.json is no release: it has more than 1000000/],
  [
    "breaks off",
    "/worker/new.js",
    hangUp,
    /\/worker\/new\.js could not be downloaded: .+\. Nothing was changed\. Run npm run update again/,
  ],
  [
    "breaks off",
    "/release.json",
    hangUp,
    /\/release\.json could not be downloaded: .+\. Nothing was changed\. Run npm run update again/,
  ],
] as const) {
  test(`nothing changes where ${path} ${what}`, () =>
    refuses(async () => {
      await publish("99.5.0", { "worker/new.js": "x".repeat(100) });
      answers.set(path, answer);
    }, reason));
}
