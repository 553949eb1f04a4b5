import { readFile, writeFile } from "node:fs/promises";
import type { SerializedError } from "vitest";
import type { Reporter, TestModule } from "vitest/node";

/** A test file that failed. */
interface FailedFile {
  /** Within the project. */
  path: string;
  /** Each failed test with its name and why; a file that could not be loaded has only why. */
  reasons: string[];
}

/** The outcome of a run. */
export interface Failures {
  failed: FailedFile[];
  /** Every file ran to its end, and nothing broke outside of them: the failed files are all that is wrong. */
  isWhole: boolean;
}

/** The environment variable that names the file in which the outcome is kept. */
export const KEPT_IN = "TEST_FAILURES";

/** The first lines of a failure say what was expected; the rest is the stack. */
const LINES = 12;
const beginningOf = (errors: readonly { message: string }[]) =>
  errors
    .flatMap(({ message }) => message.split("\n"))
    .slice(0, LINES)
    .join("\n    ");

function toFailedFile(module: TestModule): FailedFile {
  const tests = [...module.children.allTests("failed")];
  const reasons = tests.map(
    (test) => `${test.fullName}\n    ${beginningOf(test.result().errors ?? [])}`,
  );
  const errors = module.errors();
  return {
    path: module.relativeModuleId,
    reasons: errors.length > 0 ? [...reasons, beginningOf(errors)] : reasons,
  };
}

/** Keeps the outcome of a run for the program that started it. */
export default class FailuresReporter implements Reporter {
  async onTestRunEnd(
    modules: readonly TestModule[],
    errors: readonly SerializedError[],
  ): Promise<void> {
    const path = process.env[KEPT_IN];
    if (!path) return;
    const hasEnded = (module: TestModule) => !["queued", "pending"].includes(module.state());
    const outcome: Failures = {
      failed: modules.filter((module) => module.state() === "failed").map(toFailedFile),
      isWhole: errors.length === 0 && modules.every(hasEnded),
    };
    await writeFile(path, JSON.stringify(outcome));
  }
}

/** Reads the outcome of a run; one that kept none is not whole. */
export async function readFailures(path: string): Promise<Failures> {
  const text = await readFile(path, "utf8").catch(() => null);
  return text === null ? { failed: [], isWhole: false } : JSON.parse(text);
}

/** The files with their reasons, to be read at the end of a long output. */
export const describeFailures = ({ failed }: Failures): string =>
  failed
    .map(({ path, reasons }) => [path, ...reasons.map((reason) => `  ✖ ${reason}`)].join("\n"))
    .join("\n");
