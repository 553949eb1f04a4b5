import type { Akimbo } from "./akimbo.ts";
import type { Check } from "./posting.ts";

const SHOWN_LOG_LINES = 40;

/** How many failed. */
export async function runChecks(checks: Check[], stopping: AbortSignal): Promise<number> {
  let failed = 0;
  for (const { name, run } of checks) {
    const startedAt = performance.now();
    const problem = await run().then(
      () => null,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    stopping.throwIfAborted();
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    console.log(`${problem === null ? "pass" : "FAIL"}  ${name} (${seconds} s)`);
    if (problem === null) continue;
    failed++;
    console.log(problem.replaceAll(/^/gm, "      "));
  }
  return failed;
}

export async function showLog(akimbo: Akimbo): Promise<void> {
  const lines = (await akimbo.readLog()).split("\n").filter((line) => !isRequest(line));
  console.log(`\nThe end of Akimbo's log:\n\n${lines.slice(-SHOWN_LOG_LINES).join("\n")}`);
}

const isRequest = (line: string): boolean => line.includes('"event":"request"');
