import { build, type Plugin } from "esbuild";
import { experimental_readRawConfig as readWranglerConfig } from "wrangler";

const root = new URL("..", import.meta.url).pathname;

/** The aliases of wrangler.toml: each is for one name exactly. */
function aliases(): Plugin {
  const { alias = {} } = readWranglerConfig({ config: `${root}wrangler.toml` }).rawConfig;
  return {
    name: "aliases",
    setup: ({ onResolve }) => {
      onResolve({ filter: /./ }, ({ path }) => {
        const to = alias[path];
        return to === undefined ? null : { path: `${root}${to.replace("./", "")}` };
      });
    },
  };
}

/**
 * Builds better-auth as the Worker has it into one file and returns its path: module by module the test runner
 * takes ten seconds to load it.
 */
export async function buildBetterAuth(): Promise<string> {
  const outfile = `${root}.wrangler/test/better-auth.mjs`;
  await build({
    entryPoints: [`${root}src/features/sign-in/better-auth.ts`],
    outfile,
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*"],
    plugins: [aliases()],
    logLevel: "error",
  });
  return outfile;
}
