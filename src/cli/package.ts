import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { type BuildOptions, build } from "esbuild";
import { declareClient } from "../client/generate.ts";
import { inProject } from "./paths.ts";
import { runProgram } from "./program.ts";

/** Where the package is built; the manifest says what of it is packed. */
export const PACKAGE_DIR = inProject(".package");

const EXECUTABLE = 0o755;

/** Source: package.json, "engines". */
const COMMON: BuildOptions = {
  ...{ bundle: true, platform: "node", target: "node20", format: "esm" },
  ...{ absWorkingDir: inProject("."), logLevel: "error", legalComments: "eof" },
};

/** Packages written for require need one in a module. */
const WITH_REQUIRE =
  'import { createRequire as toRequire } from "node:module"; const require = toRequire(import.meta.url);';

/** Builds what `npm pack` packs: the program in one file, and the client with its types. */
export async function buildPackage(): Promise<void> {
  await rm(PACKAGE_DIR, { recursive: true, force: true });
  const program = `${PACKAGE_DIR}/akimbo.js`;
  await Promise.all([
    build({
      ...COMMON,
      entryPoints: ["src/cli/bin.ts"],
      outfile: program,
      banner: { js: `#!/usr/bin/env node\n${WITH_REQUIRE}` },
    }),
    build({
      ...COMMON,
      entryPoints: ["src/client/index.ts"],
      outfile: `${PACKAGE_DIR}/client/index.js`,
      platform: "neutral",
      external: ["openapi-fetch"],
    }),
  ]);
  await chmod(program, EXECUTABLE);
  for (const [name, text] of Object.entries(await declareClient())) {
    const path = `${PACKAGE_DIR}/client/${name}`;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}

if (import.meta.main) {
  await runProgram(async () => {
    await buildPackage();
    return 0;
  });
}
