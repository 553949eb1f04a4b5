import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { experimental_readRawConfig as readRawConfig } from "wrangler";
import type { Release } from "../../core/release.ts";
import { hashOf, openSigned, RELEASE_FILE, upgradeRefusal } from "./release.ts";

// Bundled into `update.mjs` of the folder that the button deploys: `npm run update` brings the newest release into it.

const HERE = import.meta.dirname;
const DOWNLOADS = join(HERE, ".akimbo-update");
const AT_ONCE = 8;
const TIMEOUT_MS = 60_000;

/** @throws Error */
async function download(address: string): Promise<Uint8Array> {
  const answer = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`${address} answered ${answer.status}.`);
  return new Uint8Array(await answer.arrayBuffer());
}

const readOwn = (path: string) => readFile(join(HERE, path)).catch(() => null);

/** Downloads what the folder does not have yet; nothing of the folder changes. @throws Error for a file that differs from the release */
async function fetchFiles({ files }: Release, base: URL): Promise<string[]> {
  const fetched: string[] = [];
  const waiting = [...files];
  const worker = async () => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      const own = await readOwn(file.path);
      if (own && hashOf(own) === file.sha256) continue;
      const content = await download(new URL(file.path, base).href);
      if (content.length !== file.bytes || hashOf(content) !== file.sha256) {
        throw new Error(`${file.path} is not the file that was released. Nothing was changed.`);
      }
      const target = join(DOWNLOADS, file.path);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, content);
      fetched.push(file.path);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return fetched;
}

async function main(): Promise<void> {
  const { rawConfig } = readRawConfig({ config: join(HERE, "wrangler.jsonc") });
  const { RELEASES_URL: url = "", RELEASE_KEYS: keys = "" } = rawConfig.vars as Record<
    string,
    string
  >;
  if (!url || !keys) {
    throw new Error("Set RELEASES_URL and RELEASE_KEYS under vars in wrangler.jsonc first.");
  }
  const signed = new TextDecoder().decode(await download(url));
  const release = await openSigned(signed, keys);
  const { version } = JSON.parse(await readFile(join(HERE, "package.json"), "utf8"));
  const refusal = upgradeRefusal(version, release);
  if (refusal) throw new Error(refusal);
  const own = await readOwn(RELEASE_FILE);
  const before = own && (await openSigned(own.toString(), keys).catch(() => null));
  const fetched = await fetchFiles(release, new URL(url));
  const listed = new Set(release.files.map(({ path }) => path));
  const gone = (before?.files ?? []).map(({ path }) => path).filter((path) => !listed.has(path));
  if (fetched.length === 0 && gone.length === 0) {
    console.log(`${version} is the newest release. Nothing was changed.`);
    return;
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
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await rm(DOWNLOADS, { recursive: true, force: true });
}
