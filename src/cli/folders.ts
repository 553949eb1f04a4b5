import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { Problem } from "./program.ts";

/**
 * Makes the folder and its parents. Node's own `recursive` never ends where a folder that exists refuses new ones as
 * missing, as `/proc` does.
 *
 * @throws Problem when it cannot be made
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await makeWithParents(path);
  } catch (error) {
    throw new Problem(
      `The folder ${path} cannot be made: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

async function makeWithParents(path: string): Promise<void> {
  const isThere = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isThere) return;
  const parent = dirname(path);
  if (parent !== path) await makeWithParents(parent);
  await mkdir(path);
}
