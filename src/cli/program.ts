import { execFileSync } from "node:child_process";
import { constants } from "node:os";
import { killGroups, stopGroups } from "./process-group.ts";

export class Problem extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Exit code of a misunderstood command. */
export const MISUSED = 2;

export class Misuse extends Problem {
  constructor(message: string) {
    super(message, MISUSED);
  }
}

type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

const STOP_SIGNALS: readonly StopSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Every child process ends with the program. `main` returns the exit code, and its signal aborts when the program has
 * to stop.
 *
 * @param options `stopCode` is the exit code after a signal; the default is 128 plus the number of the signal
 */
export async function runProgram(
  main: (stopping: AbortSignal) => Promise<number>,
  { stopCode }: { stopCode?: number } = {},
): Promise<void> {
  const stopping = new AbortController();
  const end = async (code: number) => {
    if (stopping.signal.aborted) return;
    stopping.abort();
    await stopGroups();
    process.exit(code);
  };
  const stop = (signal: StopSignal) => void end(stopCode ?? 128 + constants.signals[signal]);
  for (const signal of STOP_SIGNALS) process.on(signal, stop);
  process.on("disconnect", () => stop("SIGTERM"));
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => stop("SIGHUP"));
  process.on("exit", killGroups);
  if (process.env.npm_lifecycle_event) onParentGone(() => stop("SIGTERM"));

  try {
    await end(await main(stopping.signal));
  } catch (error) {
    if (stopping.signal.aborted) return;
    console.error(error instanceof Problem ? error.message : error);
    await end(error instanceof Problem ? error.exitCode : 1);
  }
}

const PARENT_POLL_MS = 200;

/** Some npm shells die of a signal without passing it on, others outlive a killed npm. So both are watched. */
function onParentGone(stop: () => void): void {
  const parent = process.ppid;
  const npm = findParentOfShell(parent);
  const timer = setInterval(() => {
    if (process.ppid !== parent || (npm !== null && !isAlive(npm))) stop();
  }, PARENT_POLL_MS);
  timer.unref();
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function findParentOfShell(pid: number): number | null {
  try {
    const shown = execFileSync("ps", ["-o", "ppid=,args=", "-p", String(pid)], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [, ppid] = /^\s*(\d+)\s+(?:\S*\/)?\w*sh -c /.exec(shown) ?? [];
    return ppid === undefined ? null : Number(ppid);
  } catch {
    return null;
  }
}
