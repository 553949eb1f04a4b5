import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { spawnGroup } from "../../src/cli/process-group.ts";

interface Ended {
  code: number;
  printed: string;
  /** All that it wrote to standard error. */
  complaints: string;
}

/** Runs an installed program to its end; what it keeps goes into `home`. `onLine` gets each line as it is printed. */
export async function runInstalled(
  program: string,
  args: string[],
  home: string,
  onLine: (line: string) => void = () => {},
): Promise<Ended> {
  const child = spawnGroup(process.execPath, [`node_modules/${program}`, ...args], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, HOME: home },
  });
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error(`Nothing can be read from ${program}.`);
  createInterface({ input: stdout }).on("line", onLine);
  const [printed, complaints, [code]] = await Promise.all([
    text(stdout),
    text(stderr),
    once(child, "exit") as Promise<[number]>,
  ]);
  return { code, printed, complaints };
}
