import { DAY, SECOND } from "../../core/time.ts";

export const COOKIE_PREFIX = "akimbo";

/** Spec is silent: with a fixed lifetime, showing a page writes no row. */
export const SESSION_LIFETIME_SECONDS = (30 * DAY) / SECOND;

/** For cookies of sessions and challenges. */
export const sessionSecret = (signingKey: string): string => `sign-in:${signingKey}`;

const isSecure = (origin: string): boolean => origin.startsWith("https:");

const cookieName = (origin: string, name: string): string =>
  `${isSecure(origin) ? "__Secure-" : ""}${COOKIE_PREFIX}.${name}`;

const SESSION = "session_token";

export const sessionCookieName = (origin: string): string => cookieName(origin, SESSION);

const setCookie = (origin: string, name: string, value: string, maxAgeSeconds: number): string =>
  `${cookieName(origin, name)}=${value}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly${
    isSecure(origin) ? "; Secure" : ""
  }; SameSite=Lax`;

export const forgetSessionCookie = (origin: string): string => setCookie(origin, SESSION, "", 0);

const MAX_COOKIE_CHARACTERS = 200;
/** Base64 of an HMAC-SHA-256, with padding. */
const SIGNATURE_CHARACTERS = 44;

const encoder = new TextEncoder();

let imported: { secret: string; key: Promise<CryptoKey> } | undefined;

function importKey(secret: string): Promise<CryptoKey> {
  if (imported?.secret === secret) return imported.key;
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = crypto.subtle.importKey("raw", encoder.encode(secret), hmac, false, [
    "sign",
    "verify",
  ]);
  imported = { secret, key };
  return key;
}

export function cookieValue(header: string | null, name: string): string | null {
  for (const part of (header ?? "").split(";")) {
    const at = part.indexOf("=");
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return null;
}

interface CookiePlace {
  /** Without the prefix. */
  name: string;
  origin: string;
  signingKey: string;
}

export async function signedCookie(
  value: string,
  { name, origin, signingKey }: CookiePlace,
  maxAgeSeconds: number,
): Promise<string> {
  const key = await importKey(sessionSecret(signingKey));
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(value)));
  const signed = encodeURIComponent(`${value}.${signature.toBase64()}`);
  return setCookie(origin, name, signed, maxAgeSeconds);
}

export async function signedCookieValue(
  cookies: string | null,
  { name, origin, signingKey }: CookiePlace,
): Promise<string | null> {
  const raw = cookieValue(cookies, cookieName(origin, name));
  if (raw === null || raw.length > MAX_COOKIE_CHARACTERS) return null;
  try {
    const text = decodeURIComponent(raw);
    const dot = text.lastIndexOf(".");
    const value = text.slice(0, dot);
    const signature = text.slice(dot + 1);
    if (dot < 1 || signature.length !== SIGNATURE_CHARACTERS) return null;
    const bytes = Uint8Array.fromBase64(signature);
    const key = await importKey(sessionSecret(signingKey));
    const isOurs = await crypto.subtle.verify("HMAC", key, bytes, encoder.encode(value));
    return isOurs ? value : null;
  } catch {
    return null;
  }
}

export const sessionCookie = (token: string, origin: string, signingKey: string): Promise<string> =>
  signedCookie(token, { name: SESSION, origin, signingKey }, SESSION_LIFETIME_SECONDS);

/** Returns the token if the cookie carries our signature. */
export const sessionToken = (
  cookies: string | null,
  origin: string,
  signingKey: string,
): Promise<string | null> => signedCookieValue(cookies, { name: SESSION, origin, signingKey });
