import { isBuiltin } from "node:module";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { PARTS, readWranglerConfig, type WranglerConfig } from "./deploy-config.ts";
import { inProject } from "./paths.ts";

/** Conditions under which npm packages are resolved: those of wrangler. */
const CONDITIONS = ["workerd", "worker", "browser"];

/** The aliases of wrangler.toml: each is for one name exactly. */
export const withAliases = ({ alias }: WranglerConfig): Plugin => ({
  name: "aliases",
  setup: ({ onResolve }) => {
    onResolve({ filter: /./ }, ({ path }) => {
      const to = alias[path];
      return to === undefined ? null : { path: inProject(to) };
    });
  },
});

/** Node's modules are the runtime's own; packages that ask for them by `require` get one that was imported. */
const withNodeModules: Plugin = {
  name: "node-modules",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^[\w:/]+$/ }, ({ path, kind }) => {
      if (!isBuiltin(path)) return null;
      const full = `node:${path.replace(/^node:/, "")}`;
      return kind === "require-call"
        ? { path: full, namespace: "required" }
        : { path: full, external: true };
    });
    onLoad({ filter: /./, namespace: "required" }, ({ path }) => ({
      contents: `import all from ${JSON.stringify(path)}; module.exports = all;`,
    }));
  },
};

/**
 * Builds the Worker as it is deployed: an entry, whose path is returned, the parts that it imports, and a source map
 * beside each. A part that is imported when it is needed is no work for the runtime before.
 */
export async function buildWorker(folder: string): Promise<string> {
  await build({
    entryPoints: [inProject("src", "worker.ts")],
    outdir: folder,
    chunkNames: `${PARTS}/[name]-[hash]`,
    bundle: true,
    splitting: true,
    minify: true,
    sourcemap: true,
    format: "esm",
    target: "es2024",
    conditions: CONDITIONS,
    external: ["cloudflare:*"],
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [withAliases(await readWranglerConfig()), withNodeModules],
    logLevel: "error",
  });
  return join(folder, "worker.js");
}
