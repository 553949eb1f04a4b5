import { json, listOf, Malformed, matching, objectOf, only, text, wholeNumber } from "./readers.ts";
import { fromBase64, type ReleaseKey } from "./release-keys.ts";

export const RELEASE_FORMAT = "akimbo-release-1";

const sha256 = matching(/^[0-9a-f]{64}$/, "must be a SHA-256 in hex");
const version = matching(/^\d{1,5}\.\d{1,5}\.\d{1,5}$/, "must be a version such as 1.2.3");
/** A path inside the release's folder, which cannot lead out of it. */
const path = matching(/^(?!\/)(?!.*(?:^|\/)\.\.?(?:\/|$))[\w./ -]{1,200}$/, "must be a path");

const file = objectOf({ path, sha256, bytes: wholeNumber(0) });
const migration = objectOf({ name: text, bytes: wholeNumber(1) });

const readRelease = objectOf({
  format: only(RELEASE_FORMAT),
  version,
  /** Day of the release, such as 2026-11-28. */
  date: matching(/^\d{4}-\d{2}-\d{2}$/, "must be a day such as 2026-11-28"),
  /** The oldest version that can be upgraded to this one directly. */
  upgradesFrom: version,
  changes: listOf(text),
  migrations: listOf(migration),
  /** Tags of the migrations of Durable Objects. */
  durableObjects: listOf(text),
  files: listOf(file),
});

export type Release = ReturnType<typeof readRelease>;
export type ReleaseFile = Release["files"][number];

/** `content` is the release as JSON; the signatures are of exactly these characters. */
const readSigned = objectOf({
  content: text,
  signatures: listOf(objectOf({ key: text, signature: text })),
});

/** The first line keeps a signature from being valid for anything but a release. */
export const signedBytes = (content: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(new TextEncoder().encode(`${RELEASE_FORMAT}\n${content}`));

/**
 * Reads the release only after one of the keys has signed it.
 *
 * @throws Malformed for a release that is damaged or that no known key has signed
 */
export async function openRelease(signed: unknown, keys: readonly ReleaseKey[]): Promise<Release> {
  const { content, signatures } = json(readSigned)(signed);
  for (const { key, signature } of signatures) {
    const known = keys.find(({ id }) => id === key);
    if (known && (await isSignedBy(known, content, fromBase64(signature)))) {
      return json(readRelease)(content);
    }
  }
  throw new Malformed("is not signed by a key that this instance knows");
}

/** Runtimes differ in what they answer for a signature of another length. Source: RFC 8032, "Ed25519". */
const SIGNATURE_BYTES = 64;

async function isSignedBy(
  { bytes }: ReleaseKey,
  content: string,
  signature: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  if (signature.length !== SIGNATURE_BYTES) return false;
  const algorithm = { name: "Ed25519" };
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"]);
  return crypto.subtle.verify(algorithm, key, signature, signedBytes(content));
}

/** Negative when the first version is older. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((name) => name.split(".").map(Number));
  for (let i = 0; i < 3; i++) {
    const difference = (a?.[i] ?? 0) - (b?.[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * A sentence that says why the running version cannot be replaced by the release; null when it can.
 */
export function upgradeRefusal(running: string, { version, upgradesFrom }: Release): string | null {
  if (compareVersions(version, running) < 0) {
    return `${version} is older than ${running}, which runs. To go back, use npm run deploy -- --back.`;
  }
  if (compareVersions(running, upgradesFrom) < 0) {
    return `${version} can follow ${upgradesFrom} or newer, and ${running} runs. Upgrade to ${upgradesFrom} first.`;
  }
  return null;
}
