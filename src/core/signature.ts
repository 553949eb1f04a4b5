import { toHex } from "./ids.ts";

const encoder = new TextEncoder();

let imported: { secret: string; key: Promise<CryptoKey> } | undefined;

/** The last secret's key is kept: a page of posts signs an address for each of its files. */
function hmacKey(secret: string): Promise<CryptoKey> {
  if (imported?.secret === secret) return imported.key;
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = crypto.subtle.importKey("raw", encoder.encode(secret), hmac, false, ["sign"]);
  imported = { secret, key };
  return key;
}

/** Lowercase hex HMAC-SHA256 of `text`. */
export async function sign(secret: string, text: string): Promise<string> {
  return toHex(await crypto.subtle.sign("HMAC", await hmacKey(secret), encoder.encode(text)));
}

/** Returns true when `signature` is ours over `text`; takes the same time whichever byte differs. */
export async function isSigned(secret: string, text: string, signature: string): Promise<boolean> {
  const expected = encoder.encode(await sign(secret, text));
  const given = encoder.encode(signature);
  if (expected.length !== given.length) return false;
  let difference = 0;
  for (let i = 0; i < expected.length; i++) difference |= (expected[i] ?? 0) ^ (given[i] ?? 0);
  return difference === 0;
}

/** Lowercase hex SHA-256. */
export async function sha256Hex(data: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof data === "string" ? encoder.encode(data) : data;
  return toHex(await crypto.subtle.digest("SHA-256", bytes));
}
