import { spawn } from "node:child_process";
import { constants } from "node:os";

/**
 * Runs a command as leader of a process group, and ends the group when standard input closes. The
 * system closes that pipe even when the parent is killed.
 */

const GRACE_MS = 8_000;

const [command = "", ...args] = process.argv.slice(2);
const program = spawn(command, args, { stdio: ["ignore", "inherit", "inherit"] });
let isOrphan = false;

/** This call fails unless the process leads a group, so no foreign group is ever stopped. */
const signalGroup = (signal: NodeJS.Signals) => process.kill(-process.pid, signal);

// The group signal reaches the command too. The leader stays until the command ends.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

process.stdin.resume();
process.stdin.on("error", () => {});
process.stdin.on("close", () => {
  isOrphan = true;
  signalGroup("SIGTERM");
  setTimeout(() => signalGroup("SIGKILL"), GRACE_MS);
});

program.on("error", (error) => {
  console.error(error.message);
  process.exit(1);
});
program.on("exit", (code, signal) => {
  if (isOrphan) signalGroup("SIGKILL");
  process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0));
});
