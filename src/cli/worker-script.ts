import { join } from "node:path";
import { build } from "esbuild";
import { requireWrangler } from "./wrangler.ts";

/**
 * Builds the Worker as it is deployed and returns the path of its one module in `folder`, its source map
 * beside it. Minified after it is bundled: what is loaded lazily is then a method, which V8 leaves alone until
 * it is called. Minified while it is bundled it is an arrow function, and V8 reads those in full at every start.
 */
export async function buildWorker(folder: string, options: string[] = []): Promise<string> {
  await requireWrangler("Building the Worker", [
    "deploy",
    "--dry-run",
    "--outdir",
    folder,
    ...options,
  ]);
  const path = join(folder, "worker.js");
  await build({
    entryPoints: [path],
    outfile: path,
    allowOverwrite: true,
    format: "esm",
    minify: true,
    sourcemap: true,
    logLevel: "error",
  });
  return path;
}
