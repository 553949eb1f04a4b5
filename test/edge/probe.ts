import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { inProject } from "../../src/cli/paths.ts";
import type { Part } from "./multipart.ts";

const WORKERD = inProject("node_modules", "workerd", "bin", "workerd");
/** A start takes a fraction of a second; a busy machine needs more. */
const START_MS = 30_000;

export interface Exports {
  /** The handlers of the default export. */
  handlers: string[];
  /** The other exports of the main module. */
  names: string[];
}

const PROBE = "edge-probe.js";
const probeOf = (main: string): string => `
import * as all from ${JSON.stringify(main.includes("/") ? main : `./${main}`)};
export default {
  fetch() {
    const handlers = all.default ?? {};
    const names = typeof handlers === "function" ? Object.getOwnPropertyNames(handlers.prototype) : Object.keys(handlers);
    return Response.json({ handlers: names, names: Object.keys(all).filter((name) => name !== "default") });
  },
};`;

const FIELDS: Record<string, string> = {
  "application/javascript+module": "esModule",
  "application/javascript": "commonJsModule",
  "application/wasm": "wasm",
  "text/plain": "text",
  "application/octet-stream": "data",
};

const listOf = (texts: string[]): string => texts.map((text) => JSON.stringify(text)).join(", ");

async function withConfig<T>(
  modules: Part[],
  { date, flags }: { date: string; flags: string[] },
  use: (path: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "akimbo-probe-"));
  try {
    const lines: string[] = [];
    for (const { name, type, content } of modules) {
      const path = join(folder, "modules", name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
      const embed = `embed ${JSON.stringify(`modules/${name}`)}`;
      lines.push(`(name = ${JSON.stringify(name)}, ${FIELDS[type]} = ${embed})`);
    }
    const config = join(folder, "config.capnp");
    await writeFile(
      config,
      `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [${lines.join(", ")}],
  compatibilityDate = ${JSON.stringify(date)},
  compatibilityFlags = [${listOf(flags)}],
);`,
    );
    return await use(config);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Starts the runtime; the answer of its Worker, or what it says in place of starting. */
async function ask(config: string, options: string[]): Promise<Exports | string> {
  const child = spawn(WORKERD, ["serve", config, "--control-fd=1", ...options], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint += text;
  });
  const late = setTimeout(() => child.kill("SIGKILL"), START_MS);
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const { event, port } = JSON.parse(line) as { event: string; port?: number };
      if (event !== "listen") continue;
      const response = await fetch(`http://127.0.0.1:${port}/`);
      if (response.ok) return (await response.json()) as Exports;
      return (await response.text()) || complaint;
    }
    await ended;
    return complaint;
  } finally {
    clearTimeout(late);
    child.kill("SIGKILL");
    await ended;
  }
}

/** This runtime has it behind `--experimental`; Cloudflare takes it. */
const ALLOWED_FLAGS = ["new_module_registry"];
const EMPTY: Part = {
  name: "empty.js",
  type: "application/javascript+module",
  content: Buffer.from(
    "export default { fetch: () => Response.json({ handlers: [], names: [] }) };",
  ),
};

/** The runtime's refusal of compatibility flags, such as an unknown or an experimental one; null for none. */
export async function findFlagProblem(date: string, flags: string[]): Promise<string | null> {
  const checked = flags.filter((flag) => !ALLOWED_FLAGS.includes(flag));
  const answer = await withConfig([EMPTY], { date, flags: checked }, (config) => ask(config, []));
  return typeof answer === "string" ? toReason(answer) : null;
}

/** Runs the modules' top level: what the main module exports, or the runtime's words about why it does not start. */
export async function readExports(
  modules: Part[],
  main: string,
  compatibility: { date: string; flags: string[] },
): Promise<Exports | string> {
  const probe: Part = { ...EMPTY, name: PROBE, content: Buffer.from(probeOf(main)) };
  const answer = await withConfig([probe, ...modules], compatibility, (config) =>
    ask(config, ["--experimental"]),
  );
  return typeof answer === "string" ? toReason(answer) : answer;
}

const toReason = (complaint: string): string =>
  complaint
    .split("\n")
    .map((line) => line.replace(/^service main: /, "").trim())
    .filter((line) => line && !line.startsWith("stack:"))
    .slice(0, 4)
    .join("\n");
