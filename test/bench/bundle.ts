import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { constants, gzipSync } from "node:zlib";
import { requireWrangler } from "../../src/cli/wrangler.ts";
import { atMost, type Row } from "./report.ts";
import type { Workspace } from "./workspace.ts";

const MAX_KILOBYTES = 400;

/** The Worker as it is deployed: one module, its path and its text. */
export interface Bundle {
  path: string;
  script: string;
}

export async function buildBundle(workspace: Workspace): Promise<Bundle> {
  const outDir = await workspace.folder();
  await requireWrangler("Building the Worker", [
    "deploy",
    "--dry-run",
    "--minify",
    "--outdir",
    outDir,
  ]);
  const path = join(outDir, "worker.js");
  return { path, script: await readFile(path, "utf8") };
}

/** All of it is loaded at start-up: nothing is imported later. */
export function bundleRow({ script }: Bundle): Row {
  const packed = gzipSync(script, { level: constants.Z_BEST_COMPRESSION });
  return atMost("bundle, gzip -9", packed.length / 1024, MAX_KILOBYTES, " KB");
}
