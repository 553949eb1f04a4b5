import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { inProject } from "../../src/cli/paths.ts";
import { spawnGroup } from "../../src/cli/process-group.ts";
import type { Row } from "./report.ts";
import type { Workspace } from "./workspace.ts";

interface Report {
  testResults: {
    message: string;
    assertionResults: { fullName: string; status: string; meta?: { measured?: string } }[];
  }[];
}

const TIMEOUT_MS = 300_000;

/**
 * Runs the tests that count round trips, rows, messages and calls; each is its own sentence, some with what they
 * have `measured`.
 */
export async function countCosts(workspace: Workspace): Promise<Row[]> {
  const outputFile = join(await workspace.folder(), "costs.json");
  const vitest = inProject("node_modules", "vitest", "vitest.mjs");
  const args = [
    ...[vitest, "run", "--config", "test/vitest.config.ts", "test/costs"],
    ...["--reporter=json", `--outputFile=${outputFile}`],
  ];
  // Its exit code says that tests failed; the report says which.
  const run = spawnGroup(process.execPath, args, { cwd: inProject(), stdio: "ignore" });
  await once(run, "exit", { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const report = JSON.parse(await readFile(outputFile, "utf8")) as Report;
  return report.testResults.flatMap(({ message, assertionResults }) =>
    assertionResults.length === 0
      ? [{ what: message, measured: "", bar: "", ok: false }]
      : assertionResults.map(({ fullName, status, meta }) => ({
          what: fullName.trim(),
          measured: meta?.measured ?? "",
          bar: "",
          ok: status === "passed",
        })),
  );
}
