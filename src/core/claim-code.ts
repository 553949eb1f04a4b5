import { sha256Hex } from "./signature.ts";
import { DAY } from "./time.ts";

/** Crockford's base 32, without letters that look like digits. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const GROUPS = 4;
const GROUP_LENGTH = 4;

export const CLAIM_LIFETIME_MS = DAY;

/** 80 random bits, in groups that are easy to copy by hand: `7KQF-2MXA-9TRD-4WHN`. */
export function createClaimCode(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(GROUPS * GROUP_LENGTH));
  const letters = [...bytes].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
  return letters.replaceAll(/.{4}(?!$)/g, "$&-");
}

/** Case, spaces, dashes, and letters in place of similar digits do not matter. */
const normalize = (code: string): string =>
  code
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, "")
    .replaceAll("O", "0")
    .replaceAll(/[IL]/g, "1");

export const hashClaimCode = (code: string): Promise<string> => sha256Hex(normalize(code));

export interface Claim {
  /** SHA-256 of the code, in hex. */
  hash: string;
  /** Epoch ms. */
  expiresAt: number;
}

/** The value of the variable CLAIM_CODE. */
export const claimVariable = async (code: string, now: Date): Promise<string> =>
  `${await hashClaimCode(code)}:${now.getTime() + CLAIM_LIFETIME_MS}`;

export const isOpenClaim = (claim: Claim | null, now: Date): claim is Claim =>
  claim !== null && now.getTime() < claim.expiresAt;
