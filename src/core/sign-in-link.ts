import { randomHex } from "./ids.ts";
import { sha256Hex } from "./signature.ts";
import { MINUTE } from "./time.ts";

/** Spec is silent; long enough for slow mail. */
export const LINK_LIFETIME_MS = 15 * MINUTE;

export const linkIdentifier = async (token: string): Promise<string> =>
  `magic-link:${await sha256Hex(token)}`;

/** The link is stored under `identifier`. */
export async function createLinkToken(): Promise<{ token: string; identifier: string }> {
  const token = randomHex(16);
  return { token, identifier: await linkIdentifier(token) };
}

/** With this name, an invitation mail counts among the sign-in links of its address. */
export const inviteMailIdentifier = (tokenHash: string): string => `magic-link-invite:${tokenHash}`;

/** `email` is lowercase. */
export const linkValue = (email: string): string => JSON.stringify({ type: "magic-link", email });

/** `next` is the path to open after the sign-in. */
export const signInPath = (token: string, next: string | null = null): string =>
  `/sign-in/link?token=${token}${next === null ? "" : `&next=${encodeURIComponent(next)}`}`;

export const isLinkToken = (text: string): boolean => /^[A-Za-z0-9]{16,64}$/.test(text);
