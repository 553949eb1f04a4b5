import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";

/** Without Linux's /proc nothing here can be measured. */
export const canMeasureCpu = existsSync("/proc/self/schedstat");

/** Linux reports process times to programs in hundredths of a second on every machine. */
const TICK_MS = 10;

const PARENT = 1;
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;

/** The fields of /proc/PID/stat after the program's name, which may itself hold spaces. */
function readStat(pid: number | string): { name: string; fields: string[] } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const end = text.lastIndexOf(")");
    return { name: text.slice(text.indexOf("(") + 1, end), fields: text.slice(end + 2).split(" ") };
  } catch {
    return null;
  }
}

/** CPU time of the process and its threads so far, in steps of 10 ms. */
export function cpuMs(pid: number): number {
  const { fields = [] } = readStat(pid) ?? {};
  return (Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS])) * TICK_MS;
}

/** As `cpuMs` but exact; threads that have ended are not counted. */
export function exactCpuMs(pid: number): number {
  const nanoseconds = readdirSync(`/proc/${pid}/task`).map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, value) => sum + value, 0) / 1e6;
}

const MEGABYTE = 1_024;

function memoryMb(pid: number, line: string): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${line}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / MEGABYTE;
}

/** Memory that a process holds now, in MB. */
export const residentMemoryMb = (pid: number): number => memoryMb(pid, "VmRSS");

/** Rise of a process's memory during `work`, at its peak, in MB. */
export async function peakMemoryMb(pid: number, work: () => Promise<void>): Promise<number> {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  const before = memoryMb(pid, "VmRSS");
  await work();
  return memoryMb(pid, "VmHWM") - before;
}

/** The workerd processes that a program has started; this one if no other is named. */
export function ownWorkerds(parent = process.pid): number[] {
  if (!canMeasureCpu) return [];
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => {
      const stat = readStat(pid);
      return stat?.name === "workerd" && stat.fields[PARENT] === String(parent);
    })
    .map(Number);
}
