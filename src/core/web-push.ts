import { fromBase64Url, toBase64Url } from "./encryption.ts";
import {
  AUTH_BYTES,
  POINT_BYTES,
  type PushKeys,
  readBytes,
  readPoint,
  SCALAR_BYTES,
  type VapidKeys,
} from "./push-keys.ts";
import { HOUR, SECOND } from "./time.ts";

const encoder = new TextEncoder();

/** Source: RFC 8188, section 2.1. */
const SALT_BYTES = 16;
const RECORD_BYTES = 4_096;

const P256 = { name: "ECDH", namedCurve: "P-256" };

function join(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

const importPoint = (point: Uint8Array<ArrayBuffer>): Promise<CryptoKey> =>
  crypto.subtle.importKey("raw", point, P256, true, []);

export async function arePushKeys({ p256dh, auth }: PushKeys): Promise<boolean> {
  const point = readPoint(p256dh);
  if (!point || !readBytes(auth, AUTH_BYTES)) return false;
  try {
    await importPoint(point);
    return true;
  } catch {
    return false;
  }
}

/** New for each message: reusing keys and salt would reveal the texts. */
interface Sender {
  keys: CryptoKeyPair;
  salt: Uint8Array<ArrayBuffer>;
}

const newSender = async (): Promise<Sender> => ({
  keys: (await crypto.subtle.generateKey(P256, true, ["deriveBits"])) as CryptoKeyPair,
  salt: crypto.getRandomValues(new Uint8Array(SALT_BYTES)),
});

async function hkdf(
  salt: Uint8Array<ArrayBuffer>,
  input: Uint8Array<ArrayBuffer>,
  info: Uint8Array<ArrayBuffer>,
  bytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const key = await crypto.subtle.importKey("raw", input, "HKDF", false, ["deriveBits"]);
  const algorithm = { name: "HKDF", hash: "SHA-256", salt, info };
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, bytes * 8));
}

async function agree(mine: CryptoKey, theirs: CryptoKey): Promise<Uint8Array<ArrayBuffer>> {
  const algorithm = { name: "ECDH", public: theirs } as unknown as SubtleCryptoDeriveKeyAlgorithm;
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, mine, SCALAR_BYTES * 8));
}

const rawOf = async (key: CryptoKey): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array((await crypto.subtle.exportKey("raw", key)) as ArrayBuffer);

/**
 * @param message at most 3,993 bytes of UTF-8. Source: RFC 8291, section 4
 * @param sender only for tests with fixed keys
 * @see https://www.rfc-editor.org/rfc/rfc8291
 */
export async function encryptPush(
  { p256dh, auth }: PushKeys,
  message: string,
  sender?: Sender,
): Promise<Uint8Array<ArrayBuffer>> {
  const { keys, salt } = sender ?? (await newSender());
  const theirPoint = fromBase64Url(p256dh);
  const ourPoint = await rawOf(keys.publicKey);
  const secret = await agree(keys.privateKey, await importPoint(theirPoint));
  const keyInfo = join(encoder.encode("WebPush: info\0"), theirPoint, ourPoint);
  const input = await hkdf(fromBase64Url(auth), secret, keyInfo, 32);
  const encoding = (name: string) => join(encoder.encode(`Content-Encoding: ${name}\0`));
  const bits = await hkdf(salt, input, encoding("aes128gcm"), 16);
  const nonce = await hkdf(salt, input, encoding("nonce"), 12);
  const key = await crypto.subtle.importKey("raw", bits, "AES-GCM", false, ["encrypt"]);
  const record = join(encoder.encode(message), LAST_RECORD);
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv: nonce }, key, record);
  const size = new Uint8Array(5);
  new DataView(size.buffer).setUint32(0, RECORD_BYTES);
  size[4] = POINT_BYTES;
  return join(salt, size, ourPoint, new Uint8Array(sealed));
}

/** Source: RFC 8188, section 2. */
const LAST_RECORD = Uint8Array.of(2);

/** A token may last a day. Source: RFC 8292, section 2. */
const TOKEN_MS = 12 * HOUR;

function importVapid({ publicKey, privateKey }: VapidKeys): Promise<CryptoKey> {
  const point = fromBase64Url(publicKey);
  const coordinate = (from: number) => toBase64Url(point.slice(from, from + SCALAR_BYTES));
  const jwk = { kty: "EC", crv: "P-256", x: coordinate(1), y: coordinate(33), d: privateKey };
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  return crypto.subtle.importKey("jwk", jwk, algorithm, false, ["sign"]);
}

/**
 * @param contact the operator's `mailto:` or `https:` address
 * @see https://www.rfc-editor.org/rfc/rfc8292
 */
export async function vapidAuthorization(
  keys: VapidKeys,
  { endpoint, contact, now }: { endpoint: string; contact: string; now: Date },
): Promise<string> {
  const part = (value: object) => toBase64Url(encoder.encode(JSON.stringify(value)));
  const claims = {
    aud: new URL(endpoint).origin,
    exp: Math.floor((now.getTime() + TOKEN_MS) / SECOND),
    sub: contact,
  };
  const signed = `${part({ typ: "JWT", alg: "ES256" })}.${part(claims)}`;
  const algorithm = { name: "ECDSA", hash: "SHA-256" };
  const key = await importVapid(keys);
  const signature = await crypto.subtle.sign(algorithm, key, encoder.encode(signed));
  return `vapid t=${signed}.${toBase64Url(new Uint8Array(signature))}, k=${keys.publicKey}`;
}
