import { spawn } from "node:child_process";
import { constants } from "node:os";

/**
 * Leads a process group on behalf of `spawnTiedGroup`: runs the program given as arguments, and ends the
 * group when standard input does. That is a pipe from whoever started it, and the system closes it even
 * where that one was killed and could tell nobody.
 */

/** How long the program may take to end by itself. */
const GRACE_MS = 8_000;

const [command = "", ...args] = process.argv.slice(2);
const program = spawn(command, args, { stdio: ["ignore", "inherit", "inherit"] });
let isOrphan = false;

/** Fails where this process leads no group, so that nobody else's is ever ended. */
const signalGroup = (signal: NodeJS.Signals) => process.kill(-process.pid, signal);

// A signal to the group reaches the program too. This leader of the group stays until the program has ended.
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
  // Nobody is left to look after what the program has left behind.
  if (isOrphan) signalGroup("SIGKILL");
  process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0));
});
