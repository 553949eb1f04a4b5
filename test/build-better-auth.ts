import { rolldown } from "rolldown";
import { readWranglerConfig } from "../src/cli/deploy-config.ts";
import { CONDITIONS, withNames } from "../src/cli/worker-script.ts";

const root = new URL("..", import.meta.url).pathname;

/**
 * Builds better-auth as the Worker has it into one file and returns its path: module by module the test runner
 * takes ten seconds to load it.
 */
export async function buildBetterAuth(): Promise<string> {
  const file = `${root}.wrangler/test/better-auth.mjs`;
  const bundle = await rolldown({
    input: `${root}src/features/sign-in/better-auth.ts`,
    platform: "neutral",
    resolve: { conditionNames: CONDITIONS, mainFields: ["module", "main"] },
    plugins: [withNames(await readWranglerConfig())],
    logLevel: "silent",
  });
  await bundle.write({ file, format: "esm", codeSplitting: false, minify: true });
  return file;
}
