import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { inProject } from "./paths.ts";

/** A program may take this long to end. */
const GRACE_MS = 8_000;
const STRAGGLER_MS = 500;
const POLL_MS = 25;

const leaders = new Map<number, ChildProcess>();

export function spawnGroup(command: string, args: string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, args, { ...options, detached: true });
  const { pid } = child;
  if (pid === undefined) return child;
  leaders.set(pid, child);
  child.on("exit", () => {
    if (!isGroupAlive(pid)) leaders.delete(pid);
  });
  return child;
}

export const spawnTiedGroup = (
  command: string,
  args: string[],
  { stdio = ["inherit", "inherit"], ...options }: TiedOptions,
): ChildProcess =>
  spawnGroup(process.execPath, [GUARD, command, ...args], {
    ...options,
    stdio: ["pipe", ...stdio],
  });

const GUARD = inProject("src/cli/guard.ts");

type TiedOptions = Pick<SpawnOptions, "cwd" | "env"> & {
  stdio?: ["inherit" | "pipe", "inherit" | "pipe"];
};

export interface Ending {
  code: number;
  stdout: string;
  stderr: string;
}

export function runGroup(
  command: string,
  args: string[],
  { input, ...options }: Pick<SpawnOptions, "cwd" | "env"> & { input?: string | undefined },
): Promise<Ending> {
  return new Promise((resolve, reject) => {
    const child = spawnGroup(command, args, {
      ...options,
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
    const output = { stdout: "", stderr: "" };
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      output.stdout += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      output.stderr += text;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? 1, ...output }));
    child.stdin?.end(input);
  });
}

function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

const isGroupAlive = (pid: number): boolean => signalGroup(pid, 0);

export async function stopGroups(): Promise<void> {
  await Promise.all([...leaders.values()].map(stopGroup));
}

export async function stopGroup(leader: ChildProcess): Promise<void> {
  const { pid } = leader;
  if (pid === undefined) return;
  signalGroup(pid, "SIGTERM");
  await waitWhile(() => leader.exitCode === null && leader.signalCode === null, GRACE_MS);
  await waitWhile(() => isGroupAlive(pid), STRAGGLER_MS);
  signalGroup(pid, "SIGKILL");
  leaders.delete(pid);
}

async function waitWhile(isSo: () => boolean, atMostMs: number): Promise<void> {
  const deadline = Date.now() + atMostMs;
  while (isSo() && Date.now() < deadline) await sleep(POLL_MS);
}

/** Positions of fields in /proc/PID/stat, counted after the program's name. */
const STAT = { group: 2, userTicks: 11, systemTicks: 12 } as const;
/** Linux reports process times in hundredths of a second. */
const TICKS_PER_SECOND = 100;

/** Returns whole seconds, and 0 on systems without /proc. */
export function groupCpuSeconds(group: number): number {
  if (!existsSync("/proc/self/stat")) return 0;
  let ticks = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const text = readFileSync(`/proc/${pid}/stat`, "utf8");
      const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
      if (Number(fields[STAT.group]) !== group) continue;
      ticks += Number(fields[STAT.userTicks]) + Number(fields[STAT.systemTicks]);
    } catch {
      // The process has ended meanwhile.
    }
  }
  return Math.floor(ticks / TICKS_PER_SECOND);
}

export function killGroups(): void {
  for (const pid of leaders.keys()) signalGroup(pid, "SIGKILL");
}
