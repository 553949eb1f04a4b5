import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { inProject } from "../../src/cli/paths.ts";
import { spawnGroup } from "../../src/cli/process-group.ts";
import type { Proof } from "./worlds.ts";

/** The test with full loads that belongs to the webhooks. */
export const SCHEDULE = "test/features/webhooks/schedule.test.ts";
const FILE_MS = 900_000;

/** Part L: the tests whose loads `npm test` plays in small, with full ones. */
export async function playLoads(proof: Proof): Promise<void> {
  const startedAt = performance.now();
  console.log("\nTests with full loads");
  for (const file of await filesWithLoads()) await playFullLoad(proof, file);
  console.log(`  ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
}

/** Files with full loads, found by their imports. */
async function filesWithLoads(): Promise<string[]> {
  const paths = await readdir(inProject("test"), { recursive: true });
  const files = paths.filter((path) => path.endsWith(".test.ts")).sort();
  const found: string[] = [];
  for (const path of files) {
    const code = await readFile(inProject("test", path), "utf8");
    if (/support\/load\.ts"|\braceOften\b/.test(code)) found.push(join("test", path));
  }
  return found.filter((file) => file !== SCHEDULE);
}

/** Runs one file with full loads; the verdict shows what it printed last. */
export async function playFullLoad({ verdicts }: Proof, file: string): Promise<void> {
  const startedAt = performance.now();
  const vitest = inProject("node_modules", "vitest", "vitest.mjs");
  const run = spawnGroup(
    process.execPath,
    [vitest, "run", "--config", "test/vitest.config.ts", file],
    {
      cwd: inProject(),
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, TEST_LOADS: "full", NO_COLOR: "1" },
    },
  );
  const said = run.stdout ? text(run.stdout) : "";
  const [code] = await once(run, "exit", { signal: AbortSignal.timeout(FILE_MS) });
  const lines = (await said).split("\n");
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  const figures = lines.filter((_, i) => lines[i - 1]?.startsWith("stdout |")).at(-1) ?? "";
  verdicts.check(`L1   ${file}, ${seconds} s: ${figures}`, code === 0, lines);
}
