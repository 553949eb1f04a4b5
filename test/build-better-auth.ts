import { build } from "esbuild";
import { readWranglerConfig } from "../src/cli/deploy-config.ts";
import { withAliases } from "../src/cli/worker-script.ts";

const root = new URL("..", import.meta.url).pathname;

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
    plugins: [withAliases(await readWranglerConfig())],
    logLevel: "error",
  });
  return outfile;
}
