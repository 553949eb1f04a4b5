import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { inProject } from "../../src/cli/paths.ts";
import { runNpm } from "./npm.ts";

/** Outside the project, where n8n's tools would take the project's own settings for theirs. */
const FOLDER = join(tmpdir(), "akimbo-n8n-node");

const SOURCE = inProject("src", "n8n");

const NOT_SOURCE = ["node_modules", "dist"];

async function copySource(): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  for (const name of await readdir(FOLDER)) {
    if (name !== "node_modules") await rm(join(FOLDER, name), { recursive: true });
  }
  const filter = (path: string) => !NOT_SOURCE.includes(basename(path));
  await cp(SOURCE, FOLDER, { recursive: true, filter });
  await cp(inProject(".github", "LICENSE.md"), join(FOLDER, "LICENSE.md"));
}

/** Installs n8n's tools, unless an earlier run did, from the same list. */
async function installTools(): Promise<void> {
  const installed = join(FOLDER, "node_modules", ".akimbo-installed");
  const list = await readFile(join(SOURCE, "package-lock.json"), "utf8");
  if ((await readFile(installed, "utf8").catch(() => null)) === list) return;
  await runNpm(FOLDER, ["ci", "--ignore-scripts"]);
  await writeFile(installed, list);
}

export interface NodePackage {
  path: string;
  lint: string;
  build: string;
  files: string[];
}

/** Checks, builds and packs the node as its workflow does before it publishes. */
export async function packNode(): Promise<NodePackage> {
  await copySource();
  await installTools();
  const lint = await runNpm(FOLDER, ["run", "lint"]);
  const build = await runNpm(FOLDER, ["run", "build"]);
  const [packed] = JSON.parse(await runNpm(FOLDER, ["pack", "--json", "--ignore-scripts"]));
  const files = packed.files.map(({ path }: { path: string }) => path);
  return { path: join(FOLDER, packed.filename), lint, build, files };
}
