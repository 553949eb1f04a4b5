import { once } from "node:events";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { spawnGroup } from "../../src/cli/process-group.ts";
import { Problem } from "../../src/cli/program.ts";

/** Installs what a folder's lockfile names, unless that has been done: npm writes its own copy of it at the end. */
export async function installIn(folder: string): Promise<void> {
  const timeOf = async (path: string) =>
    (await stat(join(folder, path)).catch(() => null))?.mtimeMs;
  const installedAt = await timeOf("node_modules/.package-lock.json");
  const lockedAt = await timeOf("package-lock.json");
  if (installedAt && lockedAt && installedAt >= lockedAt) return;
  console.log("Installing the peers, this once …");
  const npm = spawnGroup("npm", ["ci", "--loglevel=error"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(npm, "exit");
  if (code !== 0) throw new Problem("The peers could not be installed.");
}
