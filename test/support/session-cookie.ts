import { sessionCookieName, sessionSecret } from "../../src/features/auth/cookie.ts";

/** The cookie of a session whose row holds the hash of this token: its name, and its value with our signature. */
export async function sessionCookie(
  token: string,
  { origin, signingKey }: { origin: string; signingKey: string },
): Promise<[name: string, value: string]> {
  const encoder = new TextEncoder();
  const secret = encoder.encode(sessionSecret(signingKey));
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", secret, hmac, false, ["sign"]);
  const signature = await crypto.subtle.sign("HMAC", key, encoder.encode(token));
  const base64 = btoa(String.fromCharCode(...new Uint8Array(signature)));
  return [sessionCookieName(origin), encodeURIComponent(`${token}.${base64}`)];
}
