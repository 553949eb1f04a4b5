import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import { inProject } from "../src/cli/paths.ts";

/** A test file that failed. */
export interface FailedFile {
  /** Within the project. */
  path: string;
  /** Each failed test with its name and why; a file that could not be loaded has only why. */
  reasons: string[];
}

/** Vitest's report as JSON, as far as it is read here. */
interface Report {
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

/** The first lines of a failure say what was expected; the rest is the stack. */
const LINES = 12;
const beginningOf = (text: string) => text.split("\n").slice(0, LINES).join("\n    ");

/** Reads the files that failed from a report of Vitest; none where there is no report. */
export async function readFailures(reportPath: string): Promise<FailedFile[]> {
  const text = await readFile(reportPath, "utf8").catch(() => null);
  if (text === null) return [];
  const { testResults } = JSON.parse(text) as Report;
  return testResults
    .filter(({ status }) => status !== "passed")
    .map(({ name, message, assertionResults }) => {
      const failed = assertionResults.filter(({ status }) => status === "failed");
      const reasons = failed.map(
        ({ fullName, failureMessages }) =>
          `${fullName}\n    ${beginningOf(failureMessages.join("\n"))}`,
      );
      const path = relative(inProject("."), name);
      return { path, reasons: reasons.length > 0 ? reasons : [beginningOf(message)] };
    });
}

/** The files with their reasons, to be read at the end of a long output. */
export const describeFailures = (files: FailedFile[]): string =>
  files
    .map(({ path, reasons }) => [path, ...reasons.map((reason) => `  ✖ ${reason}`)].join("\n"))
    .join("\n");
