import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
} from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { RELEASE_FORMAT, type Release, type ReleaseFile, signedBytes } from "../core/release.ts";
import { VERSION } from "../core/version.ts";
import { inProject } from "./paths.ts";

/** The raw key is the end of its DER form. */
const RAW_KEY_BYTES = 32;

/** Returns a private key as PEM, to be kept secret, and its public key in the format of RELEASE_KEYS. */
export function createReleaseKey(id: string): { privateKey: string; publicKey: string } {
  const { privateKey } = generateKeyPairSync("ed25519");
  const pem = privateKey.export({ format: "pem", type: "pkcs8" }).toString();
  return { privateKey: pem, publicKey: publicKeyOf(id, pem) };
}

export function publicKeyOf(id: string, privateKey: string): string {
  const der = createPublicKey(privateKey).export({ format: "der", type: "spki" });
  return `${id}:${der.subarray(-RAW_KEY_BYTES).toString("base64")}`;
}

/** Describes what stands in the folder. Files whose name `isOwners` takes belong to no release. */
export async function describeRelease(
  folder: string,
  isOwners: (path: string) => boolean,
  date: string,
): Promise<Release> {
  const { durableObjects } = await readTags();
  return {
    format: RELEASE_FORMAT,
    version: VERSION,
    date,
    upgradesFrom: UPGRADES_FROM,
    changes: readChanges(await readFile(inProject("src", "docs", "changes.md"), "utf8")),
    migrations: await listMigrations(),
    durableObjects,
    files: await listFiles(folder, isOwners),
  };
}

/** The oldest version from which the database comes here directly. */
const UPGRADES_FROM = "1.0.0";

async function readTags(): Promise<{ durableObjects: string[] }> {
  const { experimental_readRawConfig: read } = await import("wrangler");
  const { migrations = [] } = read({ config: inProject("wrangler.toml") }).rawConfig;
  return { durableObjects: migrations.map(({ tag }: { tag: string }) => tag) };
}

async function listMigrations(): Promise<Release["migrations"]> {
  const names = (await readdir(inProject("migrations"))).filter((name) => name.endsWith(".sql"));
  return Promise.all(
    names.sort().map(async (name) => {
      const { length: bytes } = await readFile(inProject("migrations", name));
      return { name, bytes };
    }),
  );
}

async function listFiles(
  folder: string,
  isOwners: (path: string) => boolean,
): Promise<ReleaseFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .map((path) => path.replaceAll(sep, "/"))
    .filter((path) => !isOwners(path));
  return Promise.all(
    paths.sort().map(async (path) => {
      const content = await readFile(join(folder, path));
      const sha256 = createHash("sha256").update(content).digest("hex");
      return { path, sha256, bytes: content.length };
    }),
  );
}

/** The points of the newest section, without the marks of Markdown. */
export function readChanges(guide: string): string[] {
  const [, newest = ""] = guide.split(/^## /m);
  return newest
    .split(/^- /m)
    .slice(1)
    .map((point) =>
      point
        .replace(/\n\n[\s\S]*/, "")
        .replace(/\[([^\]]+)\]\([^)]*\)/g, "$1")
        .replace(/[`*]/g, "")
        .replace(/\s+/g, " ")
        .trim(),
    );
}

/** The release as JSON with its signature, as `openRelease` reads it. */
export function signRelease(release: Release, key: { id: string; privateKey: string }): string {
  const content = JSON.stringify(release);
  const signature = sign(null, signedBytes(content), createPrivateKey(key.privateKey));
  const signatures = [{ key: key.id, signature: signature.toString("base64") }];
  return `${JSON.stringify({ content, signatures })}\n`;
}
