import { toHex } from "./ids.ts";

const encoder = new TextEncoder();

const HMAC = { name: "HMAC", hash: "SHA-256" };

export const hmacKey = (secret: string): Promise<CryptoKey> =>
  crypto.subtle.importKey("raw", encoder.encode(secret), HMAC, false, ["sign"]);

/** Lowercase hex HMAC-SHA256. */
export const signWith = async (key: CryptoKey, text: string): Promise<string> =>
  toHex(await crypto.subtle.sign("HMAC", key, encoder.encode(text)));

let imported: { secret: string; key: Promise<CryptoKey> } | undefined;

/** Keeps the last secret's key, because a page of posts signs many addresses. */
export async function sign(secret: string, text: string): Promise<string> {
  if (imported?.secret !== secret) imported = { secret, key: hmacKey(secret) };
  return signWith(await imported.key, text);
}

export const isSigned = async (secret: string, text: string, signature: string): Promise<boolean> =>
  isSameText(await sign(secret, text), signature);

/** Compares in constant time. */
export function isSameText(one: string, other: string): boolean {
  const expected = encoder.encode(one);
  const received = encoder.encode(other);
  if (expected.length !== received.length) return false;
  let difference = 0;
  for (let i = 0; i < expected.length; i++) difference |= (expected[i] ?? 0) ^ (received[i] ?? 0);
  return difference === 0;
}

/** Lowercase hex. */
export async function sha256Hex(data: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof data === "string" ? encoder.encode(data) : data;
  return toHex(await crypto.subtle.digest("SHA-256", bytes));
}
