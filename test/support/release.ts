import { type Release, signedBytes } from "../../src/core/release.ts";
import type { ReleaseKey } from "../../src/core/release-keys.ts";

export const RELEASE: Release = {
  format: "akimbo-release-1",
  version: "1.1.0",
  date: "2026-11-28",
  upgradesFrom: "1.0.0",
  changes: ["Posts can be planned by the minute."],
  migrations: [{ name: "9999_new.sql", bytes: 1_234 }],
  durableObjects: ["v1"],
  files: [{ path: "worker/worker.js", sha256: "0".repeat(64), bytes: 100 }],
};

const toBase64 = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)));

export class SigningKey {
  readonly asPublic: ReleaseKey;
  readonly #privateKey: CryptoKey;

  private constructor(asPublic: ReleaseKey, privateKey: CryptoKey) {
    this.asPublic = asPublic;
    this.#privateKey = privateKey;
  }

  static async create(id: string): Promise<SigningKey> {
    const pair = (await crypto.subtle.generateKey({ name: "Ed25519" }, true, [
      "sign",
      "verify",
    ])) as CryptoKeyPair;
    const raw = (await crypto.subtle.exportKey("raw", pair.publicKey)) as ArrayBuffer;
    return new SigningKey({ id, bytes: new Uint8Array(raw) }, pair.privateKey);
  }

  async sign(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    return toBase64(await crypto.subtle.sign({ name: "Ed25519" }, this.#privateKey, bytes));
  }
}

export async function signRelease(release: Release, ...keys: SigningKey[]): Promise<string> {
  const content = JSON.stringify(release);
  const signatures = await Promise.all(
    keys.map(async (key) => ({
      key: key.asPublic.id,
      signature: await key.sign(signedBytes(content)),
    })),
  );
  return JSON.stringify({ content, signatures });
}
