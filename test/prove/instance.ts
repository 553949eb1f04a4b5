import { once } from "node:events";
import { createInterface } from "node:readline";
import { inProject } from "../../src/cli/paths.ts";
import { spawnGroup } from "../../src/cli/process-group.ts";
import { ask } from "./ask.ts";
import { READY, type ServerOptions } from "./server-options.ts";

const READY_MS = 120_000;

export interface Instance {
  origin: string;
  /** The process that runs the runtime. */
  pid: number;
  /** `kill -9` of the whole process group. */
  kill(): Promise<void>;
}

export async function startInstance(options: ServerOptions): Promise<Instance> {
  const args = ["--disable-warning=ExperimentalWarning", inProject("test", "prove", "server.ts")];
  const child = spawnGroup(process.execPath, [...args, JSON.stringify(options)], {
    cwd: inProject(),
    // Each start would warn of the local storage endpoint.
    env: { ...process.env, WRANGLER_LOG: "error" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const kill = async () => {
    if (child.pid && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
    await exited;
  };
  if (!child.stdout) throw new Error("The server cannot be heard.");
  const lines = createInterface({ input: child.stdout });
  const { promise: ready, resolve, reject } = Promise.withResolvers<string>();
  lines.on("line", (line) => line.startsWith(READY) && resolve(line.slice(READY.length)));
  const timer = setTimeout(() => reject(new Error("The server does not start.")), READY_MS);
  void exited.then(() => reject(new Error("The server ended before it listened.")));
  const origin = await ready.finally(() => clearTimeout(timer));
  return { origin, pid: child.pid ?? 0, kill };
}

/** @throws Refusal when the answer is no 2xx */
export const post = (
  { origin }: Instance,
  path: string,
  options: { body?: object | undefined; headers?: Record<string, string>; timeoutMs: number },
): Promise<unknown> => ask(origin, { method: "POST", path, ...options, body: options.body ?? {} });
