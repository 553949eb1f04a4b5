import { toBase64Url } from "./encryption.ts";
import { randomHex, toHex } from "./ids.ts";

/** Each is named after the platform to which the key identifies this instance. */
export const PLATFORM_KEY_NAMES = ["BLUESKY_KEY"] as const;

const VAPID_NAMES = ["VAPID_PUBLIC_KEY", "VAPID_PRIVATE_KEY"] as const;

export const OWN_KEY_NAMES = [
  "ENCRYPTION_KEYS",
  "SIGNING_KEY",
  ...PLATFORM_KEY_NAMES,
  ...VAPID_NAMES,
] as const;

export type OwnKeyName = (typeof OWN_KEY_NAMES)[number];

/** Texts as the variables of the same names have them. */
export type OwnKeys = Record<OwnKeyName, string>;

const KEY_BYTES = 32;

/** @param id tells the key apart in stored values */
export const createEncryptionKeys = (id = "k1"): string =>
  `${id}:${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(KEY_BYTES))))}`;

export const createSigningKey = (): string => randomHex(KEY_BYTES);

async function createEcKey() {
  const curve = { name: "ECDSA", namedCurve: "P-256" };
  const pair = (await crypto.subtle.generateKey(curve, true, ["sign", "verify"])) as CryptoKeyPair;
  const { x, y, d } = (await crypto.subtle.exportKey("jwk", pair.privateKey)) as JsonWebKey;
  const point = (await crypto.subtle.exportKey("raw", pair.publicKey)) as ArrayBuffer;
  return { x, y, d: d ?? "", point: new Uint8Array(point) };
}

/** A private key for ES256 as a JWK. */
export async function createPlatformKey(): Promise<string> {
  const { x, y, d } = await createEcKey();
  const kid = toHex(crypto.getRandomValues(new Uint8Array(8)));
  return JSON.stringify({ kty: "EC", crv: "P-256", x, y, d, kid });
}

export async function createVapidKeys(): Promise<Pick<OwnKeys, (typeof VAPID_NAMES)[number]>> {
  const { point, d } = await createEcKey();
  return { VAPID_PUBLIC_KEY: toBase64Url(point), VAPID_PRIVATE_KEY: d };
}

/** Begins the id of an encryption key that an instance made itself. The rest tells instances apart. */
export const OWN_KEY_PREFIX = "own_";

export const ownKeyId = (): string => OWN_KEY_PREFIX + randomHex(4);

export async function createOwnKeys(keyId?: string): Promise<OwnKeys> {
  const [vapid, ...platformKeys] = await Promise.all([
    createVapidKeys(),
    ...PLATFORM_KEY_NAMES.map(async (name) => [name, await createPlatformKey()] as const),
  ]);
  return {
    ENCRYPTION_KEYS: createEncryptionKeys(keyId),
    SIGNING_KEY: createSigningKey(),
    ...(Object.fromEntries(platformKeys) as Pick<OwnKeys, (typeof PLATFORM_KEY_NAMES)[number]>),
    ...vapid,
  };
}

/**
 * Returns the names of absent variables. A key pair's missing half is not listed, because a new half could not match the
 * other. An empty text turns an optional key off.
 */
export function missingKeys(env: object): OwnKeyName[] {
  const vars = env as Partial<Record<OwnKeyName, string>>;
  const isAbsent = (name: OwnKeyName) => vars[name] === undefined;
  const hasVapid = VAPID_NAMES.some((name) => !isAbsent(name));
  return OWN_KEY_NAMES.filter((name) => {
    if (name === "ENCRYPTION_KEYS" || name === "SIGNING_KEY") return !vars[name];
    return isAbsent(name) && !(hasVapid && VAPID_NAMES.some((one) => one === name));
  });
}
