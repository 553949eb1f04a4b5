import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { writeDeployRepo } from "../../src/cli/deploy-repo.ts";
import { inProject } from "../../src/cli/paths.ts";

const home = await mkdtemp(join(tmpdir(), "akimbo-repo-"));
const folder = join(home, "one");
after(() => rm(home, { recursive: true }));

async function readAll(root: string): Promise<Map<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const texts = paths.sort().map(async (path) => {
    return [path.slice(root.length + 1), await readFile(path, "latin1")] as const;
  });
  return new Map(await Promise.all(texts));
}

const parse = async (name: string) => JSON.parse(await readFile(join(folder, name), "utf8"));

before(() => writeDeployRepo(folder, { repository: "https://example.com/you/akimbo-deploy" }));

test("the same source makes the same bytes, wherever the folder is", async () => {
  const other = join(home, "in", "another", "place");
  await writeDeployRepo(other, { repository: "https://example.com/you/akimbo-deploy" });
  assert.deepEqual(await readAll(other), await readAll(folder));
});

test("a file in place of the folder is refused", async () => {
  const file = join(home, "file");
  await writeFile(file, "");
  await assert.rejects(writeDeployRepo(file), { message: `${file} is a file. Name a folder.` });
});

test("nothing names this machine, a registry or a secret", async () => {
  for (const [path, text] of await readAll(folder)) {
    assert.ok(!text.includes(inProject()), path);
    if (!path.startsWith("assets/") && !path.startsWith("worker/")) {
      assert.doesNotMatch(text, /"resolved"|registry\./, path);
    }
  }
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.startsWith(".dev.vars")),
    [],
  );
});

test("wrangler is the only dependency, at the version of the project", async () => {
  const { dependencies, scripts, cloudflare } = await parse("package.json");
  const project = JSON.parse(await readFile(inProject("package.json"), "utf8"));
  assert.deepEqual(dependencies, { wrangler: project.devDependencies.wrangler });
  assert.deepEqual(scripts, {
    deploy: "node deploy.mjs",
    update: "node update.mjs",
    "signin-link": "node signin-link.mjs",
  });
  const config = await parse("wrangler.jsonc");
  const asked = [
    ...config.d1_databases,
    ...config.r2_buckets,
    ...config.queues.producers,
    config.images,
    config.assets,
  ].map(({ binding }: { binding: string }) => binding);
  const objects = config.durable_objects.bindings.map(({ name }: { name: string }) => name);
  for (const name of [...asked, ...objects, ...Object.keys(config.vars)]) {
    assert.ok(cloudflare.bindings[name]?.description, `${name} is not described`);
  }
});

test("the lockfile has what wrangler needs, and no more", async () => {
  const { packages } = await parse("package-lock.json");
  const project = JSON.parse(await readFile(inProject("package-lock.json"), "utf8"));
  assert.equal(
    packages["node_modules/wrangler"].version,
    (await parse("package.json")).dependencies.wrangler,
  );
  assert.ok(packages["node_modules/workerd"]);
  assert.equal(packages["node_modules/drizzle-orm"], undefined);
  for (const [path, entry] of Object.entries<{ integrity?: string }>(packages)) {
    if (path !== "") assert.equal(entry.integrity, project.packages[path].integrity, path);
  }
});

test("names have defaults, the database no id, and the entry a folder of its own", async () => {
  const config = await parse("wrangler.jsonc");
  assert.deepEqual(config.d1_databases, [
    { binding: "DB", database_name: "akimbo", database_id: "" },
  ]);
  assert.equal(config.main, "worker/worker.js");
  assert.ok(config.no_bundle && config.keep_vars);
  assert.deepEqual(config, await parse("wrangler.defaults.json"));
  const produced = config.queues.producers.map(({ queue }: { queue: string }) => queue);
  for (const { queue, dead_letter_queue: dead } of config.queues.consumers) {
    assert.ok(produced.includes(queue));
    if (dead) assert.ok(produced.includes(dead));
  }
});

test("the README links to the repository, and leaves no placeholder", async () => {
  const readme = await readFile(join(folder, "README.md"), "utf8");
  assert.match(readme, /\?url=https:\/\/example\.com\/you/);
  assert.match(readme, /^\[Akimbo\]\(https:\/\/example\.com\/you\/akimbo-deploy\) is /m);
  assert.match(readme, /You need Node\.js \d+ or newer/);
  assert.doesNotMatch(readme, /\b(?:VERSION|BUTTON|LINKED_NAME|MIN_NODE|AKIMBO_SOURCE)\b/);
});

/** Runs a program of the folder without a login. */
async function runHere(name: string): Promise<{ code: number | null; output: string }> {
  const { CLOUDFLARE_API_TOKEN: _, CLOUDFLARE_API_KEY: __, ...env } = process.env;
  const child = spawn(process.execPath, [name], { cwd: folder, env: { ...env, HOME: home } });
  child.stdin.end();
  const [out, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { code, output: out + errors };
}

test("says in one sentence that npm install or a login is missing", async () => {
  for (const name of ["deploy.mjs", "update.mjs", "signin-link.mjs"]) {
    assert.deepEqual(await runHere(name), {
      code: 1,
      output: "Wrangler is not installed in this folder. Run npm install first.\n",
    });
  }
  const modules = join(folder, "node_modules");
  await symlink(inProject("node_modules"), modules);
  for (const name of ["deploy.mjs", "signin-link.mjs"]) {
    const { code, output } = await runHere(name);
    assert.equal(code, 1);
    assert.match(output, /You are not logged in to Cloudflare\. Run `npx wrangler login`, or set/);
    assert.doesNotMatch(output, /--temporary|ERROR|\n +at /);
  }
  await rm(modules);
});

test("an update keeps the owner's configuration and takes away old parts", async () => {
  const own = '{ "name": "mine" } // mine';
  await writeFile(join(folder, "wrangler.jsonc"), own);
  await writeFile(join(folder, "worker", "parts", "old.js"), "");
  await writeFile(join(folder, "notes.txt"), "the owner's");
  await writeDeployRepo(folder);
  assert.match(await readFile(join(folder, "README.md"), "utf8"), /^Akimbo is a social/m);
  assert.equal(await readFile(join(folder, "wrangler.jsonc"), "utf8"), own);
  assert.equal(await readFile(join(folder, "notes.txt"), "utf8"), "the owner's");
  assert.ok(!(await readdir(join(folder, "worker", "parts"))).includes("old.js"));
});

test("a folder with other files is refused, and left as it is", async () => {
  const foreign = await mkdtemp(join(home, "foreign-"));
  await writeFile(join(foreign, "thesis.txt"), "years of work");
  await assert.rejects(writeDeployRepo(foreign), /files that this command did not write/);
  assert.deepEqual(await readdir(foreign), ["thesis.txt"]);
});
