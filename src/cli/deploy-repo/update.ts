import { lstat, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compareVersions, type Release } from "../../core/release.ts";
import {
  hashOf,
  isOwners,
  openSigned,
  RELEASE_FILE,
  readOwnConfig,
  upgradeRefusal,
} from "./release.ts";
import { runInFolder } from "./run.ts";

// `npm run update` in the folder of the deploy button: brings the newest release into it.

// Not `import.meta.dirname`, which the Node versions that are refused below may lack.
const HERE = dirname(fileURLToPath(import.meta.url));
const DOWNLOADS = join(HERE, ".akimbo-update");
const AT_ONCE = 8;
const TIMEOUT_MS = 60_000;
/** The release of a folder with a thousand files has about 150 KB. */
const MAX_RELEASE_BYTES = 1_000_000;

/** Null for more than `max` bytes, which are not read to their end. @throws Error for an answer that breaks off */
async function download(address: string, max: number): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!answer.ok) throw new Error(`the answer was ${answer.status}`);
    for await (const chunk of answer.body ?? []) {
      size += chunk.length;
      if (size > max) return null;
      chunks.push(chunk);
    }
  } catch (error) {
    throw new Error(
      `${address} could not be downloaded: ${reasonOf(error)}. Nothing was changed. Run npm run update again.`,
    );
  }
  return Buffer.concat(chunks);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}

const readOwn = (path: string) => readFile(join(HERE, path)).catch(() => null);

/** A link would lead a file of the release out of the folder. */
async function findLink(path: string): Promise<string | null> {
  const names = path.split("/");
  for (let i = 1; i <= names.length; i++) {
    const some = names.slice(0, i).join("/");
    const found = await lstat(join(HERE, some)).catch(() => null);
    if (found?.isSymbolicLink()) return some;
  }
  return null;
}

/** @throws Error for files that no release may write */
async function requireWritable(paths: readonly string[]): Promise<void> {
  const owners = paths.find(isOwners);
  if (owners) {
    throw new Error(
      `The release has a file ${owners}, which is not for a release to write. Nothing was changed. Report this to those who publish it.`,
    );
  }
  for (const path of [...paths, RELEASE_FILE]) {
    const link = await findLink(path);
    if (link) {
      throw new Error(
        `${link} is a link, and an update writes no file through a link. Nothing was changed. Remove the link, then run npm run update again.`,
      );
    }
  }
}

/**
 * A release that was signed before the one in the folder, under the same version, may have what the later one mended.
 */
function requireLater({ version, date }: Release, before: Release | null): void {
  if (!before || compareVersions(version, before.version) !== 0 || date >= before.date) return;
  throw new Error(
    `${version} of ${date} is older than ${before.version} of ${before.date}, which is here. Nothing was changed.`,
  );
}

/** Downloads what the folder does not have yet; nothing of the folder changes. @throws Error for a file that differs from the release */
async function fetchFiles({ files }: Release, base: URL): Promise<string[]> {
  const fetched: string[] = [];
  const waiting = [...files];
  const bringNext = async () => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      const own = await readOwn(file.path);
      if (own && hashOf(own) === file.sha256) continue;
      const content = await download(new URL(file.path, base).href, file.bytes);
      if (content?.length !== file.bytes || hashOf(content) !== file.sha256) {
        throw new Error(`${file.path} is not the file that was released. Nothing was changed.`);
      }
      const target = join(DOWNLOADS, file.path);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, content);
      fetched.push(file.path);
    }
  };
  // What one of them writes is removed only after all have ended.
  const ends = await Promise.allSettled(
    Array.from({ length: AT_ONCE }, () =>
      bringNext().catch((error) => {
        waiting.length = 0;
        throw error;
      }),
    ),
  );
  const failed = ends.find((end) => end.status === "rejected");
  if (failed) throw failed.reason;
  return fetched;
}

async function main(): Promise<number> {
  const config = await readOwnConfig(HERE);
  const { RELEASES_URL: url = "", RELEASE_KEYS: keys = "" } = config.vars as Record<string, string>;
  if (!url || !keys) {
    throw new Error("Set RELEASES_URL and RELEASE_KEYS under vars in wrangler.jsonc first.");
  }
  const answer = await download(url, MAX_RELEASE_BYTES);
  if (!answer) {
    throw new Error(`${url} is no release: it has more than ${MAX_RELEASE_BYTES} bytes.`);
  }
  const signed = new TextDecoder().decode(answer);
  const release = await openSigned(signed, keys);
  const { version } = JSON.parse(await readFile(join(HERE, "package.json"), "utf8"));
  const refusal = upgradeRefusal(version, release);
  if (refusal) throw new Error(refusal);
  const own = await readOwn(RELEASE_FILE);
  const before = own && (await openSigned(own.toString(), keys).catch(() => null));
  requireLater(release, before);
  const listed = new Set(release.files.map(({ path }) => path));
  const gone = (before?.files ?? [])
    .map(({ path }) => path)
    .filter((path) => !listed.has(path) && !isOwners(path));
  await requireWritable([...listed, ...gone]);
  await rm(DOWNLOADS, { recursive: true, force: true });
  const fetched = await fetchFiles(release, new URL(url));
  if (fetched.length === 0 && gone.length === 0) {
    console.log(`${version} is the newest release. Nothing was changed.`);
    return 0;
  }
  for (const path of fetched) {
    await mkdir(dirname(join(HERE, path)), { recursive: true });
    await rename(join(DOWNLOADS, path), join(HERE, path));
  }
  for (const path of gone) await rm(join(HERE, path), { force: true });
  // Last, so that an update that broke off is taken up again.
  await writeFile(join(HERE, RELEASE_FILE), signed);
  console.log(`${release.version} of ${release.date} is here, in place of ${version}:`);
  for (const change of release.changes) console.log(`- ${change}`);
  console.log(
    "\nNext: npm install && npm run deploy, or commit and push, and Cloudflare deploys it.",
  );
  return 0;
}

await runInFolder(main, { leftover: DOWNLOADS });
