import { sessionCookieName, sessionSecret } from "../../src/features/auth/cookie.ts";
import { hmac } from "./hmac.ts";

/** The cookie of a session whose row holds the hash of this token: its name, and its value with our signature. */
export async function sessionCookie(
  token: string,
  { origin, signingKey }: { origin: string; signingKey: string },
): Promise<[name: string, value: string]> {
  const signature = await hmac(sessionSecret(signingKey), token);
  const base64 = btoa(String.fromCharCode(...signature));
  return [sessionCookieName(origin), encodeURIComponent(`${token}.${base64}`)];
}
