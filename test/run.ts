/**
 * Runs the tests of the Worker and, at the same time, those of the programs around it, whose output
 * follows when both have ended.
 */
import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { inProject } from "../src/cli/paths.ts";
import { spawnGroup, stopGroup } from "../src/cli/process-group.ts";
import { runProgram } from "../src/cli/program.ts";

/** The longest test takes a minute, on a busy machine too. */
const SILENCE_MS = 6 * 60_000;
/** The runtime has stood still about once in fifty runs, within a test whose own limit could not end it. */
const RUNS = 2;

const npmRun = (script: string) =>
  spawnGroup("npm", ["run", "--silent", script], {
    cwd: inProject("."),
    stdio: ["ignore", "pipe", "inherit"],
  });

/** The exit code; null for a run that stands still, which is stopped. */
async function runWorkerTests(): Promise<number | null> {
  const child = npmRun("test:worker");
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

async function runWorkerTestsToTheirEnd(): Promise<number> {
  for (let run = 1; run <= RUNS; run++) {
    const code = await runWorkerTests();
    if (code !== null) return code;
    console.error(`\nRun ${run} of the Worker's tests said nothing for ${SILENCE_MS / 1_000} s.\n`);
  }
  return 1;
}

async function runProgramTests(): Promise<{ code: number; output: Buffer }> {
  const child = npmRun("test:cli");
  const output = child.stdout ? buffer(child.stdout) : Buffer.alloc(0);
  const [code] = await once(child, "close");
  return { code: code ?? 1, output: await output };
}

await runProgram(async () => {
  const [workerCode, programs] = await Promise.all([runWorkerTestsToTheirEnd(), runProgramTests()]);
  process.stdout.write(programs.output);
  return workerCode || programs.code;
});
