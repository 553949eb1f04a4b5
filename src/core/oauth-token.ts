import { randomHex } from "./ids.ts";
import { hmacKey, signWith } from "./signature.ts";

const PREFIXES = { access: "kma", refresh: "kmr", code: "kmc", device: "kmd" } as const;

export type OAuthTokenKind = keyof typeof PREFIXES;

const KEY_BYTES = 8;
const RANDOM_CHARACTERS = 48;
const CHECK_CHARACTERS = 16;

const FORMAT = /^(km[arcd])_([0-9a-f]{16})([0-9a-f]{48})([0-9a-f]{16})$/;

export interface OAuthToken {
  kind: OAuthTokenKind;
  /** The same in all tokens of a grant. */
  grantKey: string;
}

let imported: { signingKey: string; key: Promise<CryptoKey> } | undefined;

async function signed(signingKey: string, text: string): Promise<string> {
  if (imported?.signingKey !== signingKey) {
    imported = { signingKey, key: hmacKey(`oauth:${signingKey}`) };
  }
  return signWith(await imported.key, text);
}

const KINDS = new Map(
  Object.entries(PREFIXES).map(([kind, prefix]) => [prefix as string, kind as OAuthTokenKind]),
);

export const newGrantKey = (): string => randomHex(KEY_BYTES);

/** Null for text that this instance did not make with its current signing key. Needs no database. */
export async function readOAuthToken(text: string, signingKey: string): Promise<OAuthToken | null> {
  const [, prefix, grantKey, random, check] = FORMAT.exec(text) ?? [];
  const kind = KINDS.get(prefix ?? "");
  if (kind === undefined || grantKey === undefined) return null;
  const expected = await checkOf(signingKey, `${prefix}_${grantKey}${random}`);
  return expected === check ? { kind, grantKey } : null;
}

const checkOf = async (signingKey: string, text: string): Promise<string> =>
  (await signed(signingKey, text)).slice(0, CHECK_CHARACTERS);

export const newOAuthToken = (
  kind: OAuthTokenKind,
  grantKey: string,
  signingKey: string,
): Promise<string> => makeToken(kind, grantKey, randomHex(RANDOM_CHARACTERS / 2), signingKey);

/** Always the same token for the same `presented`, so that a repeated renewal gets the same answer. */
export async function nextOAuthToken(
  kind: OAuthTokenKind,
  grantKey: string,
  presented: string,
  signingKey: string,
): Promise<string> {
  const derived = await signed(signingKey, `${kind} after ${presented}`);
  return makeToken(kind, grantKey, derived.slice(0, RANDOM_CHARACTERS), signingKey);
}

async function makeToken(
  kind: OAuthTokenKind,
  grantKey: string,
  random: string,
  signingKey: string,
): Promise<string> {
  const text = `${PREFIXES[kind]}_${grantKey}${random}`;
  return text + (await checkOf(signingKey, text));
}
