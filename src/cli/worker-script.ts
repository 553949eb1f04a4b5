import { isBuiltin } from "node:module";
import { join } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { PARTS, readWranglerConfig, type WranglerConfig } from "./deploy-config.ts";
import { inProject } from "./paths.ts";

/** Conditions under which npm packages are resolved, in the order of preference: those of wrangler. */
export const CONDITIONS = ["workerd", "worker", "browser", "import", "module", "default"];

/** The aliases of wrangler.toml, each for one name exactly; Node's modules are the runtime's own. */
export const withNames = ({ alias }: WranglerConfig): Plugin => ({
  name: "names",
  resolveId(name) {
    const to = alias[name];
    if (to !== undefined) return inProject(to);
    return isBuiltin(name) ? { id: `node:${name.replace(/^node:/, "")}`, external: true } : null;
  },
});

/**
 * Builds the Worker as it is deployed: an entry, whose path is returned, the parts that it imports, and a source map
 * beside each. A part that is imported when it is needed is no work for the runtime before. Its cuts come from
 * a bundler that makes fewer of them than wrangler's own: each costs the runtime something at every start.
 */
export async function buildWorker(folder: string): Promise<string> {
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
