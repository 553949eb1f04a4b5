import { followersOf } from "../kit/audience.ts";
import { type GraphCall, pickRequested } from "../meta/graph.ts";
import { MetaLogins } from "../meta/logins.ts";

export interface Account {
  userId: string;
  username: string;
  name: string;
}

/** Source: Meta, "Refresh Access Token". */
const TOKEN_SECONDS = 5_183_944;

export const logins = new MetaLogins("instagram", "ig", TOKEN_SECONDS);

const MAX_USERNAME = 30;

async function digitsOf(name: string, count: number): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(name));
  return String(new DataView(hash).getBigUint64(0)).padStart(20, "0").slice(-count);
}

export async function toAccount(name: string): Promise<Account> {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const label = plain.replace(/[^a-z0-9]+/g, "_").replace(/^_+|_+$/g, "");
  const isTold = /^[a-z0-9 _]+$/.test(plain) && label !== "" && label.length <= MAX_USERNAME;
  const mark = await digitsOf(name, 8);
  return {
    userId: `17841${await digitsOf(name, 12)}`,
    username: isTold ? label : `${label.slice(0, MAX_USERNAME - 9) || "account"}_${mark}`,
    name,
  };
}

/**
 * A sandbox token's first call creates the account.
 *
 * @throws Refusal 104 without a token, 190 for an invalid one
 */
export async function authenticate(call: GraphCall): Promise<{ account: Account; token: string }> {
  const { name, token } = logins.authenticate(call);
  return { account: await toAccount(name), token };
}

export const toScopedId = ({ userId }: Account): string => `2${userId.slice(1)}`;

const PERSONAL = /\bpersonal\b/i;

const ME_FIELDS = ["id", "username"];

export function readMe(call: GraphCall, account: Account, mediaCount: number): Response {
  const me = {
    id: toScopedId(account),
    user_id: account.userId,
    username: account.username,
    name: account.name,
    account_type: PERSONAL.test(account.name) ? "PERSONAL" : "BUSINESS",
    profile_picture_url: undefined,
    followers_count: followersOf(`instagram ${account.userId}`),
    follows_count: 0,
    media_count: mediaCount,
  };
  return Response.json(pickRequested(call, me, ME_FIELDS));
}
