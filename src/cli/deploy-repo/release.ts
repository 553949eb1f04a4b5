import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openRelease, type Release } from "../../core/release.ts";
import { readReleaseKeys } from "../../core/release-keys.ts";

export { upgradeRefusal } from "../../core/release.ts";

/** Bundled into `release.mjs` of the folder that the button deploys. */
export const RELEASE_FILE = "release.json";

export const hashOf = (content: Uint8Array): string =>
  createHash("sha256").update(content).digest("hex");

/**
 * @param keys in the format of RELEASE_KEYS
 * @throws Error for a release that none of the keys has signed
 */
export async function openSigned(signed: string, keys: string): Promise<Release> {
  try {
    return await openRelease(signed, readReleaseKeys(keys));
  } catch (error) {
    throw new Error(`The release ${error instanceof Error ? error.message : String(error)}.`);
  }
}

/** Sentences about files that are not as the release has them. */
export async function compareFolder(folder: string, { files }: Release): Promise<string[]> {
  const problems = await Promise.all(
    files.map(async ({ path, sha256 }) => {
      const content = await readFile(join(folder, path)).catch(() => null);
      if (content === null) return [`${path} is missing.`];
      return hashOf(content) === sha256 ? [] : [`${path} was changed.`];
    }),
  );
  return problems.flat();
}
