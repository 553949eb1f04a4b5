import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { openRelease, type Release } from "../../core/release.ts";
import { readReleaseKeys } from "../../core/release-keys.ts";

export { upgradeRefusal } from "../../core/release.ts";

export const RELEASE_FILE = "release.json";

/** Tells a folder that the project made from any other. */
export const MARK = ".akimbo-deploy";

/** Wrangler needs at least this one. */
export const MIN_NODE_MAJOR = 22;

/**
 * Reads `wrangler.jsonc` of the folder. Wrangler is loaded only here, so that a folder without it gets a sentence.
 *
 * @throws Error when Node is too old, or `npm install` has not run yet
 */
export async function readOwnConfig(folder: string) {
  const node = process.versions.node;
  if (Number.parseInt(node, 10) < MIN_NODE_MAJOR) {
    throw new Error(
      `This needs Node.js ${MIN_NODE_MAJOR} or newer, and here is ${node}. Install a newer one from https://nodejs.org, then run this again.`,
    );
  }
  const { experimental_readRawConfig: readRawConfig } = await import("wrangler").catch((error) => {
    if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Error("Wrangler is not installed in this folder. Run npm install first.");
  });
  return readRawConfig({ config: join(folder, "wrangler.jsonc") }).rawConfig;
}

const OWNERS = new Set(["wrangler.jsonc", "wrangler.deploy.json", RELEASE_FILE]);
/** The only hidden files of a release. */
const HIDDEN = new Set([MARK, ".gitignore"]);

/**
 * Whether a file of the folder belongs to its owner, git, npm or wrangler, and so to no release. Some systems read
 * `WRANGLER.JSONC` or `wrangler.jsonc.` as the same name.
 */
export function isOwners(path: string): boolean {
  const names = path.toLowerCase().split("/").filter(Boolean);
  const plain = names.map((name) => name.replace(/[. ]+$/, ""));
  if (HIDDEN.has(path)) return false;
  return (
    OWNERS.has(plain.join("/")) ||
    plain.some((name) => name.startsWith(".") || name === "node_modules")
  );
}

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

/** Everything in these folders is uploaded. */
const UPLOADED = ["worker", "assets"];

/** Sentences about files that are not as the release has them, and about files that it does not have. */
export async function compareFolder(folder: string, { files }: Release): Promise<string[]> {
  const problems = await Promise.all(
    files.map(async ({ path, sha256 }) => {
      const content = await readFile(join(folder, path)).catch(() => null);
      if (content === null) return [`${path} is missing.`];
      return hashOf(content) === sha256 ? [] : [`${path} was changed.`];
    }),
  );
  const listed = new Set(files.map(({ path }) => path));
  const found = await Promise.all(UPLOADED.map((name) => listFiles(folder, name)));
  const extra = found.flat().filter((path) => !listed.has(path));
  return [
    ...extra.map((path) => `${path} is not a file of the release. Delete it, or move it away.`),
    ...problems.flat(),
  ];
}

async function listFiles(folder: string, name: string): Promise<string[]> {
  const options = { recursive: true, withFileTypes: true } as const;
  const entries = await readdir(join(folder, name), options).catch(() => []);
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, "/"));
}
