import { deepEqual, equal, match } from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { inProject, PROJECT_DIR } from "../../src/cli/paths.ts";
import { type Edge, startEdge } from "./start.ts";

let edge: Edge;
let stateDir: string;

before(async () => {
  stateDir = await mkdtemp(join(tmpdir(), "akimbo-upgrade-"));
  edge = await startEdge({ schedules: true });
});

after(async () => {
  await edge.stop();
  await rm(stateDir, { recursive: true });
});

function run(file: string, args: string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [inProject(file), ...args], {
      cwd: PROJECT_DIR,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...process.env,
        ...edge.env,
        STATE_DIR: stateDir,
        AKIMBO_OWNER_EMAIL: "owner@example.com",
        AKIMBO_URL: edge.url,
      },
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    child.on("close", (code) => resolve({ code, output }));
  });
}

const deploy = (...args: string[]) => run("src/cli/deploy.ts", args);

interface Health {
  status: string;
  deployment: string;
}

const health = async (): Promise<Health> =>
  (await fetch(`${edge.url}/health`)).json() as Promise<Health>;

/** Shares of each deployment, oldest first. */
async function deployments(): Promise<number[][]> {
  const { scripts } = await edge.account.state();
  const [script] = scripts;
  return (
    script?.deployments
      .toReversed()
      .map(({ versions }) => versions.map(({ percentage }) => percentage)) ?? []
  );
}

let first: string;

test("the first deployment answers all calls at once", async () => {
  const { code, output } = await deploy();
  equal(code, 0, output);
  deepEqual(await deployments(), [[100]]);
  const { status, deployment } = await health();
  equal(status, "ok");
  first = deployment;
});

test("an upgrade is shared out by and by, and can come back by one command", async () => {
  const { code, output } = await deploy("--backup");
  equal(code, 0, output);
  match(output, /✓ Backup \S+ is stored/);
  match(output, /d1 time-travel restore DB --bookmark=\S+ --config \S+deploy\.json/);
  deepEqual((await deployments()).slice(1), [[0, 100], [10, 90], [100]]);
  const second = (await health()).deployment;
  equal(second === first, false);

  const back = await deploy("--back");
  equal(back.code, 0, back.output);
  equal((await health()).deployment, first);
  const forth = await deploy("--back");
  equal(forth.code, 0, forth.output);
  equal((await health()).deployment, second);

  const shares = [`${first}@10`, `${second}@90`];
  const config = ["--name", "akimbo", "--yes"];
  const shared = await run("node_modules/wrangler/bin/wrangler.js", [
    ...["versions", "deploy", ...shares, ...config],
  ]);
  equal(shared.code, 0, shared.output);
  const whole = await deploy("--back");
  equal(whole.code, 0, whole.output);
  deepEqual((await deployments()).at(-1), [100]);
  equal((await health()).deployment, second);
});
