import { isBuiltin } from "node:module";
import { join } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { PARTS, readWranglerConfig, type WranglerConfig } from "./deploy-config.ts";
import { writeMigrationsModule } from "./migrations-module.ts";
import { inProject } from "./paths.ts";

export const CONDITIONS = ["workerd", "worker", "browser", "import", "module", "default"];

export const withNames = ({ alias }: WranglerConfig): Plugin => ({
  name: "names",
  resolveId(name) {
    const to = alias[name];
    if (to !== undefined) return inProject(to);
    return isBuiltin(name) ? { id: `node:${name.replace(/^node:/, "")}`, external: true } : null;
  },
});

/**
 * Returns the path of the entry. rolldown makes fewer parts than wrangler's bundler, and each part
 * costs time at every start.
 */
export async function buildWorker(folder: string): Promise<string> {
  await writeMigrationsModule();
  const bundle = await rolldown({
    input: inProject("src", "worker.ts"),
    platform: "neutral",
    external: /^cloudflare:/,
    resolve: { conditionNames: CONDITIONS, mainFields: ["browser", "module", "main"] },
    transform: { target: "es2024", define: { "process.env.NODE_ENV": '"production"' } },
    plugins: [withNames(await readWranglerConfig())],
    logLevel: "silent",
  });
  await bundle.write({
    dir: folder,
    format: "esm",
    chunkFileNames: `${PARTS}/[name]-[hash].js`,
    minify: true,
    sourcemap: true,
  });
  return join(folder, "worker.js");
}
