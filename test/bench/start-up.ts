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
import type { Workspace } from "./workspace.ts";

const MAX_MS = 30;
const WORKERD = inProject("node_modules", "workerd", "bin", "workerd");
/** workerd reports on this what it listens on. */
const CONTROL_FD = 3;

/** workerd's own configuration of one Worker without bindings other than text. */
function configOf(scriptName: string): string {
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
  modules = [(name = "worker.js", esModule = embed ${JSON.stringify(scriptName)})],
  compatibilityDate = ${JSON.stringify(date)},
  compatibilityFlags = ${list(flags.map((flag) => JSON.stringify(flag)))},
  bindings = ${list(bindings)},
);
`;
}

/** CPU of a workerd from its start to its first answer. */
async function startOnce(configPath: string): Promise<number> {
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
    const answer = await fetch(`http://127.0.0.1:${port}/nothing-is-here`, { redirect: "manual" });
    await answer.arrayBuffer();
    return exactCpuMs(child.pid ?? 0);
  } finally {
    child.kill("SIGKILL");
    await exited;
  }
}

const median = (values: number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** CPU that loading our Worker adds to the start of a bare one, the medians of interleaved starts. */
export async function measureStartUp(
  workspace: Workspace,
  bundle: Bundle,
  times: number,
): Promise<Row[]> {
  const folder = await workspace.folder();
  const scripts = { bare: BARE_SCRIPT, akimbo: bundle.script };
  const costs: Record<keyof typeof scripts, number[]> = { bare: [], akimbo: [] };
  const names = Object.keys(scripts) as (keyof typeof scripts)[];
  for (const name of names) {
    await writeFile(join(folder, `${name}.js`), scripts[name]);
    await writeFile(join(folder, `${name}.capnp`), configOf(`${name}.js`));
  }
  for (let i = 0; i < times; i++) {
    for (const name of names) costs[name].push(await startOnce(join(folder, `${name}.capnp`)));
  }
  const bare = median(costs.bare);
  return [
    note("bare Worker, CPU to the first answer", `${bare.toFixed(1)} ms`),
    atMost("start-up, CPU beyond that", median(costs.akimbo) - bare, MAX_MS, " ms"),
  ];
}
