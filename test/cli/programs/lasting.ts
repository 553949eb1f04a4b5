import { runProgram } from "../../../src/cli/program.ts";

/** A program that runs until it is stopped, or until whoever started it is gone. */
await runProgram(async () => {
  console.log(process.pid);
  setInterval(() => {}, 1_000);
  return new Promise<number>(() => {});
});
