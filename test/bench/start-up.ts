import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { PARTS } from "../../src/cli/deploy-config.ts";
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
const MAX_CONFIG_BYTES = 1e8;

const run = promisify(execFile);

/** Returns workerd's own configuration of one Worker without bindings other than text; the first module is its entry. */
function configOf(modules: string[], flags: string[]): string {
  const { date } = compatibility();
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

/** Writes the configuration as workerd reads it without parsing, and returns its path. */
async function writeConfig(folder: string, name: string, config: string): Promise<string> {
  const text = join(folder, `${name}.capnp`);
  await writeFile(text, config);
  const { stdout } = await run(WORKERD, ["compile", "--config-only", text], {
    encoding: "buffer",
    maxBuffer: MAX_CONFIG_BYTES,
  });
  const path = join(folder, `${name}.bin`);
  await writeFile(path, stdout);
  return path;
}

/** Returns the CPU of a workerd from its start to its first answer. */
async function startOnce(configPath: string, path: string): Promise<number> {
  const child = spawnGroup(
    WORKERD,
    ["serve", "--binary", "--experimental", configPath, `--control-fd=${CONTROL_FD}`],
    { stdio: ["ignore", "ignore", "ignore", "pipe"] },
  );
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

/** A bare Worker, and one that has the modules and flags of this one without using them: the runtime's own share. */
const [BARE, IDLE] = ["/bare", "/idle"];

const median = (values: number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Returns what each door's first answer costs beyond a bare Worker's, the medians of interleaved starts. */
export async function measureStartUp(
  workspace: Workspace,
  bundle: Bundle,
  times: number,
): Promise<Row[]> {
  const folder = await workspace.folder();
  await mkdir(join(folder, PARTS));
  const modules = [
    { name: "bare.js", text: BARE_SCRIPT },
    { name: "entry.js", text: ENTRY },
    ...bundle,
  ];
  for (const { name, text } of modules) await writeFile(join(folder, name), text);
  const names = ["entry.js", ...bundle.map(({ name }) => name)];
  const bareConfig = await writeConfig(folder, "bare", configOf(["bare.js"], []));
  const { flags } = compatibility();
  const idleConfig = await writeConfig(folder, "idle", configOf(["bare.js", ...names], flags));
  const config = await writeConfig(folder, "akimbo", configOf(names, flags));
  const configs: Record<string, string> = { [BARE]: bareConfig, [IDLE]: idleConfig };
  const costs = new Map<string, number[]>();
  for (let i = 0; i < times; i++) {
    for (const path of [BARE, IDLE, ...Object.keys(DOORS)]) {
      const cost = await startOnce(configs[path] ?? config, path);
      costs.set(path, [...(costs.get(path) ?? []), cost]);
    }
  }
  const bare = median(costs.get(BARE) ?? []);
  const idle = median(costs.get(IDLE) ?? []) - bare;
  return [
    note("bare Worker, CPU to the first answer", `${bare.toFixed(1)} ms`),
    note(
      `… with these flags beside ${bundle.length} modules that it does not import, beyond that`,
      `${idle.toFixed(1)} ms`,
    ),
    ...Object.entries(DOORS).map(([path, { what, maxMs }]) => {
      const beyond = median(costs.get(path) ?? []) - bare;
      const line = `start-up, CPU beyond that: ${what}`;
      return maxMs === null
        ? note(line, `${beyond.toFixed(1)} ms`)
        : atMost(line, beyond, maxMs, " ms");
    }),
  ];
}
