import { randomHex } from "./ids.ts";
import { sha256Hex } from "./signature.ts";
import { MINUTE } from "./time.ts";

/** How long a link by mail works. Spec is silent: long enough for slow mail. */
export const LINK_LIFETIME_MS = 15 * MINUTE;

/** A link that signs one person in, once. The token stands in the link alone. */
export interface SignInLink {
  token: string;
  /** The row of `verifications` that makes it work, in better-auth's form. */
  row: { identifier: string; value: string };
}

export async function createSignInLink(email: string): Promise<SignInLink> {
  const token = randomHex(16);
  const identifier = `magic-link:${await sha256Hex(token)}`;
  const value = JSON.stringify({ type: "magic-link", email: email.toLowerCase() });
  return { token, row: { identifier, value } };
}

/** The address that the link opens; `next`: a path to go on to. */
export const signInPath = (token: string, next: string | null = null): string =>
  `/sign-in/link?token=${token}${next === null ? "" : `&next=${encodeURIComponent(next)}`}`;

/** Returns true for text that may be the token of a link. */
export const isLinkToken = (text: string): boolean => /^[A-Za-z0-9]{16,64}$/.test(text);
