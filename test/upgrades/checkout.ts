import { existsSync, readFileSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inProject } from "../../src/cli/paths.ts";
import { runGroup } from "../../src/cli/process-group.ts";
import { Problem } from "../../src/cli/program.ts";

interface Manifest {
  version?: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

export async function git(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runGroup("git", args, { cwd: inProject(".") });
  if (code !== 0) throw new Problem(`git ${args.join(" ")}: ${stderr.trim()}`);
  return stdout.trim();
}

/** @throws Problem when the history here does not go back to the commit */
export async function requireCommit(commit: string): Promise<void> {
  const { code } = await runGroup("git", ["cat-file", "-e", `${commit}^{commit}`], {
    cwd: inProject("."),
  });
  if (code === 0) return;
  throw new Problem(
    `The commit ${commit} is not in the history here. If this is a shallow clone, run \`git fetch --unshallow\` first. A download without git has no history: clone the project instead.`,
  );
}

/** Whether every package that a checkout names stands in this project's node_modules, in the same version. */
function isServedByToday(folder: string): boolean {
  const { dependencies, devDependencies } = readManifest(folder);
  return Object.entries({ ...dependencies, ...devDependencies }).every(([name, version]) => {
    const installed = inProject("node_modules", name);
    return existsSync(installed) && readManifest(installed).version === version;
  });
}

/** Checks a commit out into a temporary folder with its packages, for as long as `work` takes. */
export async function withCheckout<T>(
  commit: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  await requireCommit(commit);
  const parent = await mkdtemp(join(tmpdir(), "akimbo-commit-"));
  const folder = join(parent, "akimbo");
  // Ctrl-C ends the process without the clean-up below, and git remembers the folder until then.
  process.once("exit", () => rmSync(parent, { recursive: true, force: true }));
  await git("worktree", "prune");
  await git("worktree", "add", "--quiet", "--detach", folder, commit);
  try {
    await provideModules(folder);
    return await work(folder);
  } finally {
    await git("worktree", "remove", "--force", folder);
  }
}

/** Hard links, for the test runner cannot load what stands outside of the checkout. */
async function linkModules(folder: string): Promise<boolean> {
  for (const path of ["node_modules", "src/client/node_modules"]) {
    if (!existsSync(inProject(path)) || !existsSync(dirname(join(folder, path)))) continue;
    const { code } = await runGroup("cp", ["-al", inProject(path), join(folder, path)], {});
    if (code !== 0) return false;
  }
  return true;
}

async function provideModules(folder: string): Promise<void> {
  if (isServedByToday(folder) && (await linkModules(folder))) return;
  console.log("Installing the packages of that commit …");
  const { code, stderr } = await runGroup("npm", ["ci"], { cwd: folder });
  if (code !== 0) throw new Problem(`npm ci failed.\n${stderr.trim()}`);
}
