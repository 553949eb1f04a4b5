import { readFile } from "node:fs/promises";
import { constants, gzipSync } from "node:zlib";
import { build } from "esbuild";
import { inProject } from "../../src/cli/paths.ts";
import { buildWorker } from "../../src/cli/worker-script.ts";
import { atMost, note, type Row } from "./report.ts";
import type { Workspace } from "./workspace.ts";

const MAX_KILOBYTES = 400;

/** The Worker as it is deployed: one module, its path and its text. */
export interface Bundle {
  path: string;
  script: string;
}

export async function buildBundle(workspace: Workspace): Promise<Bundle> {
  const path = await buildWorker(await workspace.folder());
  return { path, script: await readFile(path, "utf8") };
}

const packedKb = (content: string | Uint8Array): number =>
  gzipSync(content, { level: constants.Z_BEST_COMPRESSION }).length / 1024;

/**
 * Returns the size of the code that runs at start-up: the entry and its static imports. Lazy imports are
 * in the same file, and are not evaluated before they are needed.
 */
async function eagerKb(): Promise<number> {
  const { metafile, outputFiles } = await build({
    entryPoints: [inProject("src", "worker.ts")],
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "node",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    jsx: "automatic",
    jsxImportSource: "hono/jsx",
    outdir: inProject(".never-written"),
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  const eager = new Set<string>();
  const follow = (path: string): void => {
    if (eager.has(path)) return;
    eager.add(path);
    for (const { kind, path: next } of metafile.outputs[path]?.imports ?? []) {
      if (kind === "import-statement" && metafile.outputs[next]) follow(next);
    }
  };
  const [entry = ""] =
    Object.entries(metafile.outputs).find(([, { entryPoint }]) =>
      entryPoint?.endsWith("src/worker.ts"),
    ) ?? [];
  follow(entry);
  const texts = outputFiles.filter(({ path }) => [...eager].some((name) => path.endsWith(name)));
  return packedKb(Buffer.concat(texts.map(({ contents }) => contents)));
}

export async function bundleRows({ script }: Bundle): Promise<Row[]> {
  return [
    atMost("what runs at start-up, gzip -9", await eagerKb(), MAX_KILOBYTES, " KB"),
    note("the whole bundle, gzip -9", `${packedKb(script).toFixed(0)} KB`),
  ];
}
