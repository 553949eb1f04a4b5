import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Problem } from "../../src/cli/program.ts";
import { reasonToExempt, reasonToSkip } from "./applicable.ts";
import { runInstalled } from "./programs.ts";

export const SUITE = "@modelcontextprotocol/conformance/dist/index.js";

interface SuiteCheck {
  id: string;
  status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  description: string;
  errorMessage?: string;
  details?: { note?: string; message?: string };
}

/** How the checks of the scenarios of one revision ended. */
export interface Tally {
  passed: number;
  failed: number;
  /** Left out, with a reason. */
  skipped: number;
}

/** Counts checks that are written here, and prints how each ended. */
export function createTally() {
  const tally: Tally = { passed: 0, failed: 0, skipped: 0 };
  const check = async (name: string, run: () => unknown): Promise<void> => {
    try {
      await run();
      tally.passed++;
      console.log(`pass  ${name}`);
    } catch (error) {
      tally.failed++;
      const reason = error instanceof Error ? error.message : String(error);
      console.log(`FAIL  ${name}\n${reason.replaceAll(/^/gm, "      ")}`);
    }
  };
  return { tally, check };
}

/** The names of a revision's scenarios of one kind. */
export async function listScenarios(
  kind: "--server" | "--authorization",
  revision: string,
  home: string,
): Promise<string[]> {
  const args = ["list", kind, "--spec-version", revision];
  const { printed } = await runInstalled(SUITE, args, home);
  const names = [...printed.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name ?? "");
  if (names.length === 0) throw new Problem(`The suite has no scenarios of ${revision}.`);
  return names;
}

/** Runs every scenario of a revision that applies; prints what passed, what failed, and why the rest was left out. */
export async function runRevision(revision: string, url: string, folder: string): Promise<Tally> {
  console.log(`\nRevision ${revision}\n`);
  const tally: Tally = { passed: 0, failed: 0, skipped: 0 };
  for (const scenario of await listScenarios("--server", revision, folder)) {
    const reason = reasonToSkip(scenario);
    if (reason) {
      tally.skipped++;
      console.log(`skip  ${scenario}: ${reason}`);
      continue;
    }
    const own = join(folder, revision, scenario);
    const on = ["--scenario", scenario, "--spec-version", revision];
    const args = ["server", "--url", url, ...on, "--output-dir", own];
    const { printed, complaints } = await runInstalled(SUITE, args, folder);
    report(scenario, readChecks(own, scenario), tally, printed + complaints);
  }
  return tally;
}

/** The checks of a scenario whose results are in a folder; the suite puts the date behind its name. */
export const readChecks = (folder: string, scenario: string): SuiteCheck[] =>
  globSync(`*${scenario}*/checks.json`, { cwd: folder }).flatMap(
    (path) => JSON.parse(readFileSync(join(folder, path), "utf8")) as SuiteCheck[],
  );

/** The suite's own words on a check that it left out. */
const note = ({ errorMessage, details }: SuiteCheck): string =>
  details?.note ?? details?.message ?? errorMessage ?? "left out by the suite";

/** Prints how a scenario ended and counts its checks. */
export function report(
  scenario: string,
  checks: SuiteCheck[],
  tally: Tally,
  printed: string,
): void {
  const passed = checks.filter(({ status }) => status === "SUCCESS");
  const others = checks.filter(({ status }) => status !== "SUCCESS" && status !== "INFO");
  const isFault = ({ id, status }: SuiteCheck) => status !== "SKIPPED" && !reasonToExempt(id);
  const faults = others.filter(isFault);
  tally.passed += passed.length;
  tally.failed += faults.length;
  tally.skipped += others.length - faults.length;
  if (checks.length === 0) {
    tally.failed++;
    console.log(`FAIL  ${scenario}: it made no check\n${printed}`);
    return;
  }
  console.log(`${faults.length === 0 ? "pass" : "FAIL"}  ${scenario} (${passed.length} checks)`);
  for (const check of others) {
    const { id, description, errorMessage = "" } = check;
    if (isFault(check))
      console.log(`      FAIL  ${id}: ${description}\n            ${errorMessage}`);
    else console.log(`      skip  ${id}: ${reasonToExempt(id) ?? note(check)}`);
  }
}
