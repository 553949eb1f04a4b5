import { fromBase64Url } from "./encryption.ts";

/** Base64url, as in `PushSubscription.toJSON()`. */
export interface PushKeys {
  /** An uncompressed P-256 point. */
  p256dh: string;
  auth: string;
}

/** Base64url of an uncompressed P-256 point and of its scalar. */
export interface VapidKeys {
  publicKey: string;
  privateKey: string;
}

/** Source: RFC 8291, sections 3.1 and 3.2. */
export const POINT_BYTES = 65;
export const SCALAR_BYTES = 32;
export const AUTH_BYTES = 16;
const UNCOMPRESSED = 4;

/** Null unless the text decodes to exactly `size` bytes. */
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

/** Does not check that the point is on the curve. */
export const isPublicKey = (text: string): boolean => readPoint(text) !== null;

export const isPrivateKey = (text: string): boolean => readBytes(text, SCALAR_BYTES) !== null;
