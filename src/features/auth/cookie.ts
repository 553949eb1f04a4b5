import { DAY, SECOND } from "../../core/time.ts";

/** better-auth defines the rest of the cookies' names. */
export const COOKIE_PREFIX = "akimbo";

/** Spec is silent: with a fixed lifetime, showing a page writes no row. */
export const SESSION_LIFETIME_SECONDS = (30 * DAY) / SECOND;

/** Signs session cookies. */
export const sessionSecret = (signingKey: string): string => `sign-in:${signingKey}`;

export const sessionCookieName = (origin: string): string =>
  `${origin.startsWith("https:") ? "__Secure-" : ""}${COOKIE_PREFIX}.session_token`;

export const forgetSessionCookie = (origin: string): string =>
  `${sessionCookieName(origin)}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax${
    origin.startsWith("https:") ? "; Secure" : ""
  }`;

const MAX_COOKIE_CHARACTERS = 200;
/** Base64 of an HMAC-SHA-256, with padding. */
const SIGNATURE_CHARACTERS = 44;

const encoder = new TextEncoder();

let imported: { secret: string; key: Promise<CryptoKey> } | undefined;

function importKey(secret: string): Promise<CryptoKey> {
  if (imported?.secret === secret) return imported.key;
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = crypto.subtle.importKey("raw", encoder.encode(secret), hmac, false, ["verify"]);
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

/** Returns the token if the cookie carries our signature. */
export async function sessionToken(
  cookies: string | null,
  origin: string,
  signingKey: string,
): Promise<string | null> {
  const raw = cookieValue(cookies, sessionCookieName(origin));
  if (raw === null || raw.length > MAX_COOKIE_CHARACTERS) return null;
  try {
    const value = decodeURIComponent(raw);
    const dot = value.lastIndexOf(".");
    const token = value.slice(0, dot);
    const signature = value.slice(dot + 1);
    if (dot < 1 || signature.length !== SIGNATURE_CHARACTERS) return null;
    const bytes = Uint8Array.fromBase64(signature);
    const key = await importKey(sessionSecret(signingKey));
    const isOurs = await crypto.subtle.verify("HMAC", key, bytes, encoder.encode(token));
    return isOurs ? token : null;
  } catch {
    return null;
  }
}
