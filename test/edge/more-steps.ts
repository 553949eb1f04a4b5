import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildWorker } from "../../src/cli/worker-script.ts";
import { visit } from "../cli/domain-servers.ts";
import { upgradeUnderLoad } from "./load.ts";
import { runWrangler } from "./programs.ts";
import { restoreAll } from "./recover.ts";
import type { Rehearsal, Step } from "./rehearsal.ts";
import { CASE_NAMES, refusedByWrangler } from "./wrangler-refusals.ts";

const REQUESTS = 60;

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "akimbo-rehearsal-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The newest version, and the one that takes requests. */
async function readVersions(rehearsal: Rehearsal): Promise<{ newest: string; deployed: string }> {
  const { scripts } = await rehearsal.edge.account.state();
  const script = scripts.find(({ name }) => name === "akimbo");
  const newest = script?.versions.at(-1)?.id ?? "";
  return { newest, deployed: script?.deployments[0]?.versions[0]?.version_id ?? "" };
}

const versionOf = (response: Response): string => response.headers.get("x-edge-version") ?? "";

/** How many of the requests each version answered; each of them well. */
async function askOften(rehearsal: Rehearsal, headers = {}): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (let i = 0; i < REQUESTS; i++) {
    const response = await rehearsal.fetch("/", { headers });
    assert.equal(response.status, 200, await response.text());
    const version = versionOf(response);
    counts.set(version, (counts.get(version) ?? 0) + 1);
  }
  return counts;
}

const pick = (id: string) => ({ "cloudflare-workers-version-overrides": `akimbo="${id}"` });

async function splitVersions(rehearsal: Rehearsal): Promise<string> {
  const { config } = rehearsal;
  const { deployed: before } = await readVersions(rehearsal);
  await inFolder(async (folder) => {
    const script = await buildWorker(folder);
    await rehearsal.wrangler(
      "versions",
      "upload",
      script,
      "--no-bundle",
      "--tag",
      "two",
      ...config,
    );
  });
  const { newest: next } = await readVersions(rehearsal);
  assert.notEqual(next, before);
  assert.deepEqual(
    [...(await askOften(rehearsal)).keys()],
    [before],
    "an upload takes no requests",
  );
  const deploy = (...shares: string[]) =>
    rehearsal.wrangler("versions", "deploy", ...shares, "-y", ...config);
  await deploy(`${next}@0%`, `${before}@100%`);
  assert.deepEqual([...(await askOften(rehearsal)).keys()], [before]);
  const chosen = await askOften(rehearsal, pick(next));
  assert.deepEqual([...chosen], [[next, REQUESTS]], "the override reaches it at 0 %");
  await deploy(`${next}@50%`, `${before}@50%`);
  const split = await askOften(rehearsal);
  assert.equal(split.size, 2);
  const refused = await runWrangler(rehearsal.edge, ["secret", "delete", "SANDBOX", ...config]);
  assert.match(refused.output, /10215|latest version/, "no secret is changed during a split");
  await deploy(`${next}@100%`);
  assert.deepEqual([...(await askOften(rehearsal)).keys()], [next]);
  await rehearsal.wrangler("rollback", before, "-y", "-m", "rehearsed", ...config);
  assert.deepEqual([...(await askOften(rehearsal)).keys()], [before]);
  await deploy(`${next}@100%`);
  return `0 % by override, 50 %: ${split.get(next)} of ${REQUESTS}, 100 %, back and again`;
}

async function changeSecrets(rehearsal: Rehearsal): Promise<string> {
  const { account } = rehearsal.edge;
  const before = await account.secrets();
  await inFolder(async (folder) => {
    const path = join(folder, "secrets.json");
    await writeFile(path, JSON.stringify({ EMAIL_FROM: "akimbo@example.com" }));
    await rehearsal.wrangler("secret", "bulk", path, ...rehearsal.config);
  });
  const after = await account.secrets();
  assert.deepEqual(after, new Map([...before, ["EMAIL_FROM", "akimbo@example.com"]]));
  await rehearsal.wrangler("triggers", "deploy", ...rehearsal.config);
  return `${after.size} secrets`;
}

async function workOnDatabase(rehearsal: Rehearsal): Promise<string> {
  const { config } = rehearsal;
  const d1 = (...args: string[]) => rehearsal.wrangler("d1", ...args, "--remote", ...config);
  assert.match(await d1("migrations", "list", "DB"), /No migrations to apply/);
  const exported = await inFolder(async (folder) => {
    const path = join(folder, "out.sql");
    await d1("export", "DB", "--output", path, "-y");
    return readFile(path, "utf8");
  });
  assert.match(exported, /CREATE TABLE (?:IF NOT EXISTS )?"?uploads/);
  const timeTravel = (...args: string[]) =>
    rehearsal.wrangler("d1", "time-travel", ...args, "--json", ...config);
  const { bookmark } = JSON.parse(await timeTravel("info", "DB")) as { bookmark: string };
  const before = await rehearsal.counts();
  await inFolder(async (folder) => {
    const path = join(folder, "in.sql");
    await writeFile(path, "INSERT INTO users (email, created_at) VALUES ('gone@example.com', 1);");
    await d1("execute", "DB", "--file", path, "-y");
  });
  assert.equal((await rehearsal.counts()).users, (before.users ?? 0) + 1);
  await timeTravel("restore", "DB", "--bookmark", bookmark);
  assert.deepEqual(await rehearsal.counts(), before);
  return `${exported.split("\n").length} lines exported, a file imported, the bookmark restored`;
}

async function serveOwnDomain(rehearsal: Rehearsal): Promise<string> {
  await inFolder(async (folder) => {
    await mkdir(join(folder, "worker"));
    await writeFile(
      join(folder, "worker", "worker.js"),
      "export default { fetch: () => new Response(null, { status: 204 }) };",
    );
    const path = join(folder, "wrangler.json");
    const config = {
      name: "visitor",
      main: "worker/worker.js",
      compatibility_date: "2026-09-18",
      routes: [{ pattern: "social.example.com", custom_domain: true }],
    };
    await writeFile(path, JSON.stringify(config));
    await rehearsal.wrangler("deploy", "--no-bundle", "--config", path);
  });
  const port = Number(new URL(rehearsal.edge.url).port);
  assert.equal(await visit(port, "social.example.com", "/"), 204);
  assert.equal(await visit(port, "akimbo.example.workers.dev", "/"), 200);
  return "a second Worker at social.example.com";
}

async function refuseAll(rehearsal: Rehearsal): Promise<string> {
  return (await refusedByWrangler(rehearsal, CASE_NAMES)).join("; ");
}

async function loseNothing(rehearsal: Rehearsal): Promise<string> {
  await rehearsal.settle();
  await rehearsal.checkPosts();
  return `${rehearsal.posts} posts, each out once`;
}

/** What the long form adds. */
export const MORE_STEPS: Step[] = [
  ["an upgrade under load", upgradeUnderLoad],
  ["versions, shares and a way back", splitVersions],
  ["secrets and triggers", changeSecrets],
  ["the database by wrangler", workOnDatabase],
  ["a domain of its own", serveOwnDomain],
  ["everything that wrangler lets pass and the account refuses", refuseAll],
  ["a backup, everything lost, a restore", restoreAll],
  ["nothing lost, nothing twice", loseNothing],
];
