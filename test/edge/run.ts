/**
 * `npm run rehearse`: deploys to a stand-in for Cloudflare with the project's own command and the real wrangler, and uses
 * what was deployed. `npm run cli -- rehearse` is something else: it rehearses publishing at one platform.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { Problem, runProgram } from "../../src/cli/program.ts";
import { formatTable } from "../../src/cli/table.ts";
import { MORE_STEPS } from "./more-steps.ts";
import { Rehearsal, type Step } from "./rehearsal.ts";
import { startEdge } from "./start.ts";
import { STEPS } from "./steps.ts";

/** A deployment, its first tick and its first posts, on which the others build. */
const FIRST_STEPS = 3;

async function main(): Promise<number> {
  const { quick = false, only } = new Command("npm run rehearse --")
    .description(
      "Deploys to a stand-in for Cloudflare, and uses what was deployed. (To rehearse publishing at a platform: npm run cli -- rehearse.)",
    )
    .option("--quick", "the short form, without splits, limits and wrangler's other commands")
    .option("--only <words>", "the first deployment, and the steps whose names have these words")
    .parse()
    .opts<{ quick?: boolean; only?: string }>();
  const steps = quick ? STEPS : [...STEPS, ...MORE_STEPS];
  const chosen = only ? steps.filter(([name], i) => i < FIRST_STEPS || name.includes(only)) : steps;
  const stateDir = await mkdtemp(join(tmpdir(), "akimbo-rehearsal-"));
  const startedAt = performance.now();
  const edge = await startEdge({ plan: "free" });
  const rehearsal = new Rehearsal(edge, stateDir);
  const rows: string[][] = [];
  let failure: unknown = null;
  try {
    for (const step of chosen) {
      failure = await take(step, rehearsal, rows);
      if (failure) break;
    }
  } finally {
    await edge.stop();
    await rm(stateDir, { recursive: true });
  }
  console.log(`\n${formatTable(["Step", "Seconds", "Result"], rows)}`);
  console.log(`\n${((performance.now() - startedAt) / 1_000).toFixed(0)} s in all.`);
  if (!failure) return 0;
  throw new Problem(
    failure instanceof Error ? (failure.stack ?? failure.message) : String(failure),
  );
}

async function take([name, run]: Step, rehearsal: Rehearsal, rows: string[][]): Promise<unknown> {
  const startedAt = performance.now();
  const seconds = () => ((performance.now() - startedAt) / 1_000).toFixed(1);
  try {
    const result = await run(rehearsal);
    rows.push([name, seconds(), result]);
    console.log(`✓ ${name} (${seconds()} s): ${result}`);
    return null;
  } catch (error) {
    rows.push([name, seconds(), "FAILED"]);
    console.log(`✗ ${name} (${seconds()} s)`);
    return error;
  }
}

await runProgram(main);
