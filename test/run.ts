/**
 * Runs the tests of the Worker and, at the same time, those of the programs around it, whose output
 * follows when both have ended.
 */
import { spawn } from "node:child_process";
import { buffer } from "node:stream/consumers";
import { inProject } from "../src/cli/paths.ts";

const npmRun = (script: string, stdout: "inherit" | "pipe") => {
  const child = spawn("npm", ["run", "--silent", script], {
    cwd: inProject("."),
    stdio: ["ignore", stdout, "inherit"],
  });
  const ended = new Promise<boolean>((resolve) => child.on("close", (code) => resolve(code === 0)));
  return { ended, output: child.stdout ? buffer(child.stdout) : null };
};

const programs = npmRun("test:cli", "pipe");
const worker = npmRun("test:worker", "inherit");
const outcomes = await Promise.all([worker.ended, programs.ended]);
process.stdout.write((await programs.output) ?? "");
process.exitCode = outcomes.every(Boolean) ? 0 : 1;
