import { Malformed, text } from "./readers.ts";

/** An Ed25519 public key: 32 bytes. */
export interface ReleaseKey {
  id: string;
  bytes: Uint8Array<ArrayBuffer>;
}

export const fromBase64 = (encoded: string): Uint8Array<ArrayBuffer> => {
  try {
    return Uint8Array.from(atob(encoded), (c) => c.charCodeAt(0));
  } catch {
    throw new Malformed("must be base64");
  }
};

const KEY_BYTES = 32;

/**
 * Reads keys in the format `id:base64,id:base64`.
 *
 * @throws Malformed
 */
export function readReleaseKeys(value: unknown): ReleaseKey[] {
  return text(value)
    .split(",")
    .map((entry) => {
      const [id = "", encoded = ""] = entry.trim().split(":");
      const bytes = fromBase64(encoded);
      if (/^\w+$/.test(id) && bytes.length === KEY_BYTES) return { id, bytes };
      throw new Malformed("must be Ed25519 public keys of 32 bytes, each as id:base64");
    });
}
