import { copyFile, mkdir, rename, stat, utimes } from "node:fs/promises";
import { dirname } from "node:path";
import { inProject } from "./paths.ts";

/** Built file under .assets ← where it comes from. */
const COPIES = {
  "docs/scalar.js": "node_modules/@scalar/api-reference/dist/browser/standalone.js",
};

/** Builds `.assets/`, the files that pages load from our own origin; true when anything changed. */
export async function buildAssets(): Promise<boolean> {
  const changes = await Promise.all(
    Object.entries(COPIES).map(([target, source]) =>
      copyIfChanged(inProject(source), inProject(".assets", target)),
    ),
  );
  return changes.includes(true);
}

/** Same size and time means same file: the copy is given the time of its source. */
async function copyIfChanged(source: string, target: string): Promise<boolean> {
  const [from, to] = await Promise.all([stat(source), stat(target).catch(() => null)]);
  const isSame = to?.size === from.size && Math.abs(to.mtimeMs - from.mtimeMs) < 1_000;
  if (isSame) return false;
  await mkdir(dirname(target), { recursive: true });
  const draft = `${target}.${process.pid}`;
  await copyFile(source, draft);
  await utimes(draft, from.atime, from.mtime);
  await rename(draft, target);
  return true;
}

if (import.meta.main) await buildAssets();
