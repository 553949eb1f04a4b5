import { execFileSync } from "node:child_process";
import { constants } from "node:os";
import { killGroups, stopGroups } from "./process-group.ts";

/** Something a person can put right: shown as it stands, without a stack. */
export class Problem extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The exit code of a command that was not understood. */
export const MISUSED = 2;

/** A command that was not understood: nothing has been asked of an instance. */
export class Misuse extends Problem {
  constructor(message: string) {
    super(message, MISUSED);
  }
}

type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

const STOP_SIGNALS: readonly StopSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

interface Options {
  /** The exit code after a signal; without it, 128 and the signal's number. */
  stopCode?: number;
}

/**
 * Runs a program to its end: nothing it started outlives it, and failures are shown in plain words.
 * `main` gives the exit code; the signal it is given is aborted when the program has been asked to stop.
 */
export async function runProgram(
  main: (stopping: AbortSignal) => Promise<number>,
  { stopCode }: Options = {},
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

/**
 * npm runs a script through a shell: some shells die of a signal without passing it on, others outlive
 * the npm that was killed.
 */
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

/** The process that started this shell; null for what is no shell that runs one command. */
function findParentOfShell(pid: number): number | null {
  try {
    const shown = execFileSync("ps", ["-o", "ppid=,args=", "-p", String(pid)], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [, ppid] = /^\s*(\d+)\s+(?:\S*\/)?\w*sh -c /.exec(shown) ?? [];
    return ppid === undefined ? null : Number(ppid);
  } catch {
    // Without ps there is still the shell to be watched.
    return null;
  }
}
