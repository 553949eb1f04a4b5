import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { inProject } from "../../src/cli/paths.ts";
import { spawnGroup } from "../../src/cli/process-group.ts";
import type { Bundle } from "./bundle.ts";
import { BARE_SCRIPT, compatibility, VARIABLES } from "./instance.ts";
import { exactCpuMs } from "./process-cost.ts";
import { atMost, note, type Row } from "./report.ts";
import { DOORS, ENTRY, TOKEN } from "./start-up-entry.ts";
import type { Workspace } from "./workspace.ts";

const WORKERD = inProject("node_modules", "workerd", "bin", "workerd");
/** workerd reports on this what it listens on. */
const CONTROL_FD = 3;

/** Writes workerd's own configuration of one Worker without bindings other than text; the first module is its entry. */
function configOf(modules: string[]): string {
  const { date, flags } = compatibility();
  const list = (values: string[]) => `[${values.join(", ")}]`;
  const bindings = Object.entries(VARIABLES).map(
    ([name, text]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(text)})`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = ${list(modules.map((name) => `(name = "${name}", esModule = embed "${name}")`))},
  compatibilityDate = ${JSON.stringify(date)},
  compatibilityFlags = ${list(flags.map((flag) => JSON.stringify(flag)))},
  bindings = ${list(bindings)},
);
`;
}

/** Returns the CPU of a workerd from its start to its first answer. */
async function startOnce(configPath: string, path: string): Promise<number> {
  const child = spawnGroup(WORKERD, ["serve", configPath, `--control-fd=${CONTROL_FD}`], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  const exited = once(child, "exit");
  try {
    const lines = createInterface({ input: child.stdio[CONTROL_FD] as Readable });
    const [line] = (await Promise.race([
      once(lines, "line"),
      exited.then(() => Promise.reject(new Error("workerd ended before it listened"))),
    ])) as [string];
    const { port } = JSON.parse(line) as { port: number };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      redirect: "manual",
      headers: { "x-api-key": TOKEN },
    });
    const text = await answer.text();
    if (answer.status >= 400) throw new Error(`${path}: ${text}`);
    return exactCpuMs(child.pid ?? 0);
  } finally {
    child.kill("SIGKILL");
    await exited;
  }
}

const median = (values: number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Returns what each door's first answer costs beyond a bare Worker's, the medians of interleaved starts. */
export async function measureStartUp(
  workspace: Workspace,
  { script }: Bundle,
  times: number,
): Promise<Row[]> {
  const folder = await workspace.folder();
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  await write("bare.js", BARE_SCRIPT);
  await write("worker.js", script);
  await write("entry.js", ENTRY);
  await write("bare.capnp", configOf(["bare.js"]));
  await write("akimbo.capnp", configOf(["entry.js", "worker.js"]));
  const costs = new Map<string, number[]>();
  for (let i = 0; i < times; i++) {
    for (const path of ["/bare", ...Object.keys(DOORS)]) {
      const config = path === "/bare" ? "bare.capnp" : "akimbo.capnp";
      const cost = await startOnce(join(folder, config), path);
      costs.set(path, [...(costs.get(path) ?? []), cost]);
    }
  }
  const bare = median(costs.get("/bare") ?? []);
  return [
    note("bare Worker, CPU to the first answer", `${bare.toFixed(1)} ms`),
    ...Object.entries(DOORS).map(([path, { what, maxMs }]) => {
      const beyond = median(costs.get(path) ?? []) - bare;
      const line = `start-up, CPU beyond that: ${what}`;
      return maxMs === null
        ? note(line, `${beyond.toFixed(1)} ms`)
        : atMost(line, beyond, maxMs, " ms");
    }),
  ];
}
