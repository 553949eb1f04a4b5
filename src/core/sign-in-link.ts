import { randomHex } from "./ids.ts";
import { sha256Hex } from "./signature.ts";
import { MINUTE } from "./time.ts";

/** How long a link by mail works. Spec is silent: long enough for slow mail. */
export const LINK_LIFETIME_MS = 15 * MINUTE;

/** A new token, which stands in the link alone, and the name that better-auth looks its row up by. */
export async function createLinkToken(): Promise<{ token: string; identifier: string }> {
  const token = randomHex(16);
  return { token, identifier: `magic-link:${await sha256Hex(token)}` };
}

/** The name of the row that counts a mailed invite among the links of its address. */
export const inviteMailIdentifier = (tokenHash: string): string => `magic-link-invite:${tokenHash}`;

/** The person whom a link signs in, as better-auth reads it. `email`: in lower case. */
export const linkValue = (email: string): string => JSON.stringify({ type: "magic-link", email });

/** The address that the link opens; `next`: a path to go on to. */
export const signInPath = (token: string, next: string | null = null): string =>
  `/sign-in/link?token=${token}${next === null ? "" : `&next=${encodeURIComponent(next)}`}`;

/** Returns true for text that may be the token of a link. */
export const isLinkToken = (text: string): boolean => /^[A-Za-z0-9]{16,64}$/.test(text);
