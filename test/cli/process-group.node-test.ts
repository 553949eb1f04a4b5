import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { inProject } from "../../src/cli/paths.ts";

interface Chain {
  starter: ChildProcess;
  leader: number;
  program: number;
  descendant: number;
  /** Every process that had the starter's output has ended. */
  silence: Promise<unknown>;
}

/** A program that starts a tied one, which has a child of its own. */
async function startChain(t: TestContext): Promise<Chain> {
  const starter = spawn(process.execPath, [inProject("test/cli/programs/tied.ts")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  assert.ok(starter.stdout);
  const silence = once(starter.stdout, "close");
  const [line] = await once(createInterface({ input: starter.stdout }), "line");
  const pids = JSON.parse(line) as Pick<Chain, "leader" | "program" | "descendant">;
  t.after(() => {
    for (const pid of [starter.pid, pids.leader, pids.program, pids.descendant]) kill(pid);
  });
  return { starter, silence, ...pids };
}

/** Returns false for a process that has ended already. */
function kill(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
}

const LIMIT = { timeout: 30_000 };

test("kill -9 of the starter ends everything that it started", LIMIT, async (t) => {
  const { starter, silence } = await startChain(t);
  kill(starter.pid);
  await silence;
});

for (const victim of ["leader", "program"] as const) {
  test(`kill -9 of the ${victim} ends the starter`, LIMIT, async (t) => {
    const chain = await startChain(t);
    const ended = once(chain.starter, "exit");
    kill(chain[victim]);
    const [code] = await ended;
    assert.notEqual(code, 0);
  });
}

test("kill -9 of what stands behind npm's shell ends the program", LIMIT, async (t) => {
  // As npm does: a shell that waits for the program, here started by a process of node.
  const file = inProject("test/cli/programs/lasting.ts");
  const command = `${JSON.stringify(process.execPath)} ${JSON.stringify(file)}; true`;
  const npm = spawn(
    process.execPath,
    [
      "-e",
      `require("node:child_process").spawn("sh", ["-c", ${JSON.stringify(command)}], { stdio: "inherit" })`,
    ],
    { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, npm_lifecycle_event: "start" } },
  );
  assert.ok(npm.stdout);
  const silence = once(npm.stdout, "close");
  const [pid] = await once(createInterface({ input: npm.stdout }), "line");
  t.after(() => kill(Number(pid)));
  kill(npm.pid);
  await silence;
});
