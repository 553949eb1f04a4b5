import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { type BuildOptions, build, type Metafile } from "esbuild";
import { declareClient } from "../client/generate.ts";
import { inProject } from "./paths.ts";
import { runProgram } from "./program.ts";

export const PACKAGE_DIR = inProject(".package");

const EXECUTABLE = 0o755;

/** Source: package.json, "engines". */
const COMMON: BuildOptions = {
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  absWorkingDir: inProject("."),
  logLevel: "error",
  legalComments: "eof",
};

/** CommonJS packages in an ES module need `require`. */
const WITH_REQUIRE =
  'import { createRequire as toRequire } from "node:module"; const require = toRequire(import.meta.url);';

export async function buildPackage(): Promise<void> {
  await rm(PACKAGE_DIR, { recursive: true, force: true });
  const program = `${PACKAGE_DIR}/akimbo.js`;
  const [{ metafile }] = await Promise.all([
    build({
      ...COMMON,
      entryPoints: ["src/cli/bin.ts"],
      outfile: program,
      metafile: true,
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
  await writeFile(`${PACKAGE_DIR}/THIRD-PARTY.txt`, await collectLicences(metafile));
  for (const [name, text] of Object.entries(await declareClient())) {
    const path = `${PACKAGE_DIR}/client/${name}`;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}

const FOLDER_OF_PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

async function collectLicences({ outputs }: Metafile): Promise<string> {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const used = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  const folders = used.flatMap(([path]) => FOLDER_OF_PACKAGE.exec(path)?.[0] ?? []);
  const licences = await Promise.all([...new Set(folders)].sort().map(readLicence));
  return `The program contains these packages.\n\n${licences.join("\n\n")}\n`;
}

async function readLicence(folder: string): Promise<string> {
  const read = (name: string) => readFile(inProject(folder, name), "utf8");
  const { name, version, license } = JSON.parse(await read("package.json"));
  const file = (await readdir(inProject(folder))).find((one) => /^licen[cs]e/i.test(one));
  const text = file ? (await read(file)).trim() : "";
  return `== ${name} ${version}${license ? `, ${license}` : ""}\n\n${text}`.trimEnd();
}

if (import.meta.main) {
  await runProgram(async () => {
    await buildPackage();
    return 0;
  });
}
