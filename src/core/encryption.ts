const encoder = new TextEncoder();
const decoder = new TextDecoder();

export interface EncryptionKey {
  id: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/**
 * AES-256-GCM. The first key encrypts and every key decrypts, so that keys can be rotated. A value
 * is `v1.<keyId>.<iv>.<ciphertext>`, base64url.
 *
 * `boundTo` names the value's team, account and field: a value moved elsewhere does not decrypt.
 */
export interface Cipher {
  encrypt(plaintext: string, boundTo: string): Promise<string>;
  /** @throws Error for an unknown key, or an altered or moved value */
  decrypt(value: string, boundTo: string): Promise<string>;
}

/** Some Node versions that run the command line lack `Uint8Array.toBase64`. */
export const toBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

/** @throws DOMException for invalid base64 */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

const IV_BYTES = 12;

export const sealedPrefix = (keyId: string): string => `v1.${keyId}.`;

export function createCipher(keys: readonly EncryptionKey[]): Cipher {
  const imported = new Map<string, Promise<CryptoKey>>();
  const keyFor = (key: EncryptionKey) => {
    const existing = imported.get(key.id);
    if (existing) return existing;
    const fresh = crypto.subtle.importKey("raw", key.bytes, "AES-GCM", false, [
      "encrypt",
      "decrypt",
    ]);
    imported.set(key.id, fresh);
    return fresh;
  };
  const algorithm = (iv: Uint8Array<ArrayBuffer>, boundTo: string) => ({
    name: "AES-GCM",
    iv,
    additionalData: encoder.encode(boundTo),
  });

  return {
    async encrypt(plaintext, boundTo) {
      const [first] = keys;
      if (!first) throw new Error("No encryption key is configured.");
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
      const sealed = await crypto.subtle.encrypt(
        algorithm(iv, boundTo),
        await keyFor(first),
        encoder.encode(plaintext),
      );
      return `${sealedPrefix(first.id)}${toBase64Url(iv)}.${toBase64Url(new Uint8Array(sealed))}`;
    },
    async decrypt(value, boundTo) {
      const [version, keyId, iv, sealed] = value.split(".");
      const key = keys.find((candidate) => candidate.id === keyId);
      if (version !== "v1" || !key || !iv || !sealed) {
        throw new Error(
          "The stored secret was encrypted with a key that this instance does not have.",
        );
      }
      const opened = await crypto.subtle.decrypt(
        algorithm(fromBase64Url(iv), boundTo),
        await keyFor(key),
        fromBase64Url(sealed),
      );
      return decoder.decode(opened);
    },
  };
}
