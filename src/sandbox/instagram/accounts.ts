import { now } from "../../core/clock.ts";
import { followersOf } from "../kit/audience.ts";
import { type GraphCall, pickAsked } from "../meta/graph.ts";
import { MetaLogins } from "../meta/logins.ts";

export interface Account {
  userId: string;
  username: string;
  name: string;
}

/** Life of a long-lived token, as Instagram itself writes it. Source: Meta, "Refresh Access Token". */
const TOKEN_SECONDS = 5_183_944;

export const logins = new MetaLogins("instagram", "ig", TOKEN_SECONDS);

const MAX_USERNAME = 30;

/** Digits that are the same for the same name. */
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
    // Professional accounts have ids of 17 digits that begin like this.
    userId: `17841${await digitsOf(name, 12)}`,
    username: isTold ? label : `${label.slice(0, MAX_USERNAME - 9) || "account"}_${mark}`,
    name,
  };
}

/**
 * The account whose token the call carries, and the token. Creates the account of a sandbox token.
 *
 * @throws Refusal 104 without a token, 190 for one that is not good
 */
export async function authenticate(call: GraphCall): Promise<{ account: Account; token: string }> {
  const { name, token } = logins.authenticate(call);
  return { account: await toAccount(name), token };
}

/** The id that the app knows the person by, which is another one. */
export const toScopedId = ({ userId }: Account): string => `2${userId.slice(1)}`;

/** A personal account can sign in, and cannot publish. */
const PERSONAL = /\bpersonal\b/i;

const ME_FIELDS = ["id", "username"];

/** @param mediaCount the number of posts that the account has */
export function readMe(call: GraphCall, account: Account, mediaCount: number): Response {
  const me = {
    id: toScopedId(account),
    user_id: account.userId,
    username: account.username,
    name: account.name,
    account_type: PERSONAL.test(account.name) ? "PERSONAL" : "BUSINESS",
    profile_picture_url: undefined,
    followers_count: followersOf(`instagram ${account.userId}`, now().getTime()),
    follows_count: 0,
    media_count: mediaCount,
  };
  return Response.json(pickAsked(call, me, ME_FIELDS));
}
