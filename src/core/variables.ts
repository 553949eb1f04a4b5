import type { Claim } from "./claim-code.ts";
import type { EncryptionKey } from "./encryption.ts";
import { isLimitName } from "./quotas.ts";
import {
  json,
  Malformed,
  matching,
  notEmpty,
  objectOf,
  oneOf,
  only,
  type Reader,
  recordOf,
  strictObjectOf,
  text,
  textThat,
  wholeNumber,
} from "./readers.ts";

export const onOff = oneOf(["on", "off"]);

export const isOrigin = (value: string) =>
  /^https?:/.test(value) && URL.canParse(value) && new URL(value).origin === value;
export const origin = textThat(isOrigin, "must be an origin, such as https://social.example.com");

export const httpUrl: Reader<string> = (value) => {
  const address = text(value).trim();
  if (/^https?:\/\//i.test(address) && URL.canParse(address)) {
    return address.replace(/\/+$/, "");
  }
  throw new Malformed("must be an http(s) address");
};

const LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

/** What is sent to any other address can be read and changed on its way. */
export const isPrivateUrl = (address: string): boolean => {
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" || (protocol === "http:" && LOCAL_HOSTS.includes(hostname));
};

export const privateUrl: Reader<string> = (value) => {
  const address = httpUrl(value);
  if (isPrivateUrl(address)) return address;
  throw new Malformed("must be an https address, or http to localhost in development");
};

const quotas = json(
  recordOf(strictObjectOf({ limit: wholeNumber(1), windowSeconds: wholeNumber(1) }), isLimitName),
);

/** Limits that replace the defaults, by group. */
export type RateLimits = "off" | Record<string, { limit: number; windowSeconds: number }>;

export const rateLimits: Reader<RateLimits> = (value) => {
  try {
    return value === "off" ? value : quotas(value);
  } catch {
    throw new Malformed(
      'must be "off" or JSON such as {"upload-create":{"limit":50,"windowSeconds":900}}',
    );
  }
};

const KEY_BYTES = 32;

/** Format `id:base64,id:base64`. The first key encrypts, all keys decrypt. */
export const encryptionKeys: Reader<EncryptionKey[]> = (value) => {
  const keys = text(value).split(",").map(readKey);
  if (new Set(keys.map(({ id }) => id)).size !== keys.length) {
    throw new Malformed("must not use an id twice");
  }
  return keys;
};

function readKey(entry: string): EncryptionKey {
  const [id = "", encoded = ""] = entry.trim().split(":");
  try {
    const bytes = Uint8Array.from(atob(encoded), (c) => c.charCodeAt(0));
    if (/^\w+$/.test(id) && bytes.length === KEY_BYTES) return { id, bytes };
  } catch {}
  throw new Malformed("must be keys of 32 bytes, each as id:base64, separated by commas");
}

/** The name has letters, digits and underscores, and ends with `.txt`. */
export interface SiteFile {
  name: string;
  text: string;
}

/** @see https://developers.tiktok.com/doc/set-up-development-configuration */
const TIKTOK_SIGNATURE =
  /^(?:tiktok(\w{8,128})\.txt|(?:tiktok-developers-site-verification=)?(\w{8,128}))$/;

export const tiktokFiles: Reader<SiteFile[]> = (value) =>
  text(value)
    .split(",")
    .map((entry) => {
      const [, fromFileName, fromText] = TIKTOK_SIGNATURE.exec(entry.trim()) ?? [];
      const signature = fromFileName ?? fromText;
      if (signature !== undefined) {
        const content = `tiktok-developers-site-verification=${signature}`;
        return { name: `tiktok${signature}.txt`, text: content };
      }
      throw new Malformed("must be names of TikTok's signature files, such as tiktokAbC123xyz.txt");
    });

/** An ES256 private key as JWK. */
export const privateKey = objectOf({
  kty: only("EC"),
  crv: only("P-256"),
  x: notEmpty,
  y: notEmpty,
  d: notEmpty,
  kid: notEmpty,
});

export const claim: Reader<Claim> = (value) => {
  const parts = /^([0-9a-f]{64}):(\d{13})$/.exec(text(value));
  const [, hash, expiresAt] = parts ?? [];
  if (hash === undefined) {
    throw new Malformed("must be the SHA-256 of a code in hex, a colon, and when it ends in ms");
  }
  return { hash, expiresAt: Number(expiresAt) };
};

/** Like zod's pattern, without its length limit. */
export const EMAIL = /^(?!\.)(?!.*\.\.)[\w'+.-]*[\w+-]@(?:[a-z\d][a-z\d-]*\.)+[a-z]{2,}$/i;

/** Names separated by commas. `requirePlatforms` judges them. */
export const commaList: Reader<string[]> = (value) =>
  text(value)
    .split(",")
    .map((name) => name.trim());

export const wholeText = (pattern: RegExp, unit: string): Reader<number> => {
  const digits = matching(pattern, `must be a whole number of ${unit}`);
  return (value) => Number(digits(value));
};
