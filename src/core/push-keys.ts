import { fromBase64Url } from "./encryption.ts";

/** The keys of a browser's subscription, base64url, as `PushSubscription.toJSON()` has them. */
export interface PushKeys {
  /** The browser's public key: an uncompressed point of P-256. */
  p256dh: string;
  /** A secret that the browser shares with whoever may send. */
  auth: string;
}

/** The key pair by which push services know this instance: base64url of an uncompressed point, and of its scalar. */
export interface VapidKeys {
  publicKey: string;
  privateKey: string;
}

/** Sizes in bytes. Source: RFC 8291, sections 3.1 and 3.2. */
export const POINT_BYTES = 65;
export const SCALAR_BYTES = 32;
export const AUTH_BYTES = 16;
const UNCOMPRESSED = 4;

/** Returns the bytes of base64url of exactly that size; null for anything else. */
export function readBytes(text: string, size: number): Uint8Array<ArrayBuffer> | null {
  if (!/^[\w-]+$/.test(text)) return null;
  try {
    const bytes = fromBase64Url(text);
    return bytes.length === size ? bytes : null;
  } catch {
    return null;
  }
}

export const readPoint = (text: string): Uint8Array<ArrayBuffer> | null => {
  const point = readBytes(text, POINT_BYTES);
  return point?.[0] === UNCOMPRESSED ? point : null;
};

/** Returns true for an uncompressed point's size and form; the curve is not looked at. */
export const isPublicKey = (text: string): boolean => readPoint(text) !== null;

export const isPrivateKey = (text: string): boolean => readBytes(text, SCALAR_BYTES) !== null;
