import type { Platform } from "../../src/core/platforms.ts";

/**
 * Fate of a refresh token that was used. `stays`: it works as before. `grace`: it works for 2 hours more.
 * `dies`: at once.
 */
type Fate = "stays" | "grace" | "dies";

/** Logins of one platform as they are renewed. */
export interface Logins {
  used: Fate;
  /** The access token is renewed by itself: there is no other. */
  renewsItself?: boolean;
  service?: string;
  /** The platform's own id of account `i`. */
  accountOf(i: number): string;
  /** The token that renews account `i` after so many renewals. */
  tokenOf(i: number, renewals: number): string;
  grantOf(i: number, token: string): object;
  refusal: object;
}

/** A DID of its own for each account, of letters alone: `0` and `1` are none of base32. */
const did = (i: number) => {
  const letters = [...String(i)].map((digit) => "abcdefghij"[Number(digit)]).join("");
  return `did:plc:${letters.padStart(24, "z")}`;
};
const jwt = (claims: object) => `e30.${btoa(JSON.stringify(claims)).replaceAll("=", "")}.x`;
const endOf = (days: number) => Math.floor(Date.now() / 1_000) + days * 86_400;

/** The account and the renewal that a token is of. */
export function readToken(token: string): [account: number, renewals: number] {
  const [, claims = ""] = token.split(".");
  if (claims) {
    const { account, renewals } = JSON.parse(atob(claims));
    return [account, renewals];
  }
  const [, account, renewals] = token.split("-").map(Number);
  return [account ?? -1, renewals ?? -1];
}

const plain = {
  accountOf: (i: number) => `p${i}`,
  tokenOf: (i: number, renewals: number) => `account-${i}-${renewals}`,
  refusal: { error: "invalid_grant" },
};

const accessOf = (access_token: string) => ({ access_token, expires_in: 60 * 86_400 });

const renewingItself: Logins = {
  ...plain,
  used: "stays",
  renewsItself: true,
  grantOf: (_, token) => accessOf(token),
};

/** Logins with a refresh token, whose end stands in this field. */
const refreshed = (used: Fate, endField: string): Logins => ({
  ...plain,
  used,
  grantOf: (_, token) => ({
    ...accessOf(token),
    ...{ refresh_token: token, [endField]: 90 * 86_400 },
  }),
});

/** The platforms whose logins end unless they are renewed. */
export const LOGINS: Partial<Record<Platform, Logins>> = {
  instagram: renewingItself,
  threads: renewingItself,
  linkedin: refreshed("stays", "refresh_token_expires_in"),
  bluesky: {
    used: "grace",
    service: "https://pds.example",
    accountOf: did,
    tokenOf: (i, renewals) => jwt({ exp: endOf(90), sub: did(i), account: i, renewals }),
    grantOf: (i, token) => ({
      accessJwt: jwt({ exp: endOf(1), sub: did(i) }),
      ...{ refreshJwt: token, did: did(i), handle: "ada.test", active: true },
    }),
    refusal: { error: "ExpiredToken" },
  },
  tiktok: refreshed("dies", "refresh_expires_in"),
  pinterest: {
    ...refreshed("dies", "refresh_token_expires_in"),
    refusal: { code: 283, message: "The authorization grant is invalid." },
  },
};
