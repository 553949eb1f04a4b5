/**
 * Runs the Worker's tests in two runtimes, and the programs' tests beside them. The programs' output follows at the end.
 * Test files share their runtime, so files that failed run a second time by themselves; the output ends with both results.
 */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { COMPILE_CACHE, inProject } from "../src/cli/paths.ts";
import { spawnGroup, stopGroup } from "../src/cli/process-group.ts";
import { runProgram } from "../src/cli/program.ts";
import { describeFailures, type Failures, KEPT_IN, readFailures } from "./failures.ts";

/** A runtime has one thread. */
const RUNTIMES = 2;
/** Counted costs and long tests have commands of their own. */
const LEFT_OUT = ["--exclude=test/costs/**", "--exclude=**/*.long.test.ts"];
/** The longest test takes half a minute, on a busy machine too. */
const SILENCE_MS = 3 * 60_000;
/** A runtime has stood still about once in fifty runs, within a test whose own limit could not end it. */
const RUNS = 2;
/** More files than this that fail are no accident. */
const MAX_AGAIN = 5;

/** Several processes share few cores: they start from compiled code, and a bundler in each has one thread. */
const ENVIRONMENT = { NODE_COMPILE_CACHE: COMPILE_CACHE, RAYON_NUM_THREADS: "1" };

const npmRun = (script: string, args: string[] = [], env: NodeJS.ProcessEnv = {}) =>
  spawnGroup("npm", ["run", "--silent", script, "--", ...args], {
    cwd: inProject("."),
    env: { ...ENVIRONMENT, ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });

/** The exit code; null for a run that stands still, which is stopped. */
async function runWorkerTests(report: string, selection: string[]): Promise<number | null> {
  const reporters = ["--reporter=default", "--reporter=./test/failures.ts"];
  const child = npmRun("test:worker", [...reporters, ...selection], { [KEPT_IN]: report });
  let isStill = false;
  const watch = setTimeout(() => {
    isStill = true;
    void stopGroup(child);
  }, SILENCE_MS);
  child.stdout?.on("data", (text) => {
    watch.refresh();
    process.stdout.write(text);
  });
  const [code] = await once(child, "exit");
  clearTimeout(watch);
  return isStill ? null : (code ?? 1);
}

interface WorkerRun extends Failures {
  code: number;
}

/** @param selection files, or the options that select them */
async function runWorkerTestsToTheirEnd(selection: string[]): Promise<WorkerRun> {
  const folder = await mkdtemp(join(tmpdir(), "akimbo-tests-"));
  const report = join(folder, "report.json");
  try {
    for (let run = 1; run <= RUNS; run++) {
      const code = await runWorkerTests(report, selection);
      if (code !== null) return { code, ...(await readFailures(report)) };
      console.error(
        `\nRun ${run} of the Worker's tests said nothing for ${SILENCE_MS / 1_000} s.\n`,
      );
    }
    return { code: 1, failed: [], isWhole: false };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function runAllWorkerTests(): Promise<WorkerRun> {
  const shards = Array.from({ length: RUNTIMES }, (_, i) => `--shard=${i + 1}/${RUNTIMES}`);
  const runs = await Promise.all(
    shards.map((shard) => runWorkerTestsToTheirEnd([shard, "--maxWorkers=1", ...LEFT_OUT])),
  );
  return {
    code: Math.max(...runs.map(({ code }) => code)),
    failed: runs.flatMap(({ failed }) => failed),
    isWhole: runs.every(({ isWhole }) => isWhole),
  };
}

async function runProgramTests(): Promise<{ code: number; output: Buffer }> {
  const child = npmRun("test:cli");
  const output = child.stdout ? buffer(child.stdout) : Buffer.alloc(0);
  const [code] = await once(child, "close");
  return { code: code ?? 1, output: await output };
}

/** Runs what failed again, with nothing beside it, where nothing else is wrong; the exit code. */
async function runAgain(run: WorkerRun): Promise<number> {
  if (run.code === 0) return 0;
  console.log(`\nFailed:\n${describeFailures(run)}`);
  const { code, failed, isWhole } = run;
  if (!isWhole) console.log("Not all files ran to their end, or something broke outside of them.");
  if (!isWhole || failed.length === 0 || failed.length > MAX_AGAIN) return code;
  const paths = failed.map(({ path }) => path);
  console.log(`\nAgain, by themselves: ${paths.join(", ")}`);
  const again = await runWorkerTestsToTheirEnd(paths);
  if (again.code === 0) console.log("\nPassed by themselves; they depend on what ran before them.");
  else console.log(`\nFailed again:\n${describeFailures(again)}`);
  return again.code;
}

await runProgram(async () => {
  const [worker, programs] = await Promise.all([runAllWorkerTests(), runProgramTests()]);
  process.stdout.write(programs.output);
  return (await runAgain(worker)) || programs.code;
});
