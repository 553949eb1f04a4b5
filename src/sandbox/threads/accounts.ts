import { digitsOf, usernameOf } from "../kit/logins.ts";
import { type GraphCall, pickAsked } from "../meta/graph.ts";
import { MetaLogins } from "../meta/logins.ts";

export interface Account {
  /** 17 digits: more than a number holds exactly. */
  userId: string;
  username: string;
  name: string;
}

/** Life of a long-lived token. Source: Threads API, "Long-lived tokens". */
const TOKEN_SECONDS = 5_184_000;
const MAX_USERNAME = 30;

export const logins = new MetaLogins("threads", "th", TOKEN_SECONDS);

export const toAccount = async (name: string): Promise<Account> => ({
  userId: await digitsOf("threads", name, 17),
  username: usernameOf(name, MAX_USERNAME),
  name,
});

/**
 * The account whose token the call carries, and the token. Creates the account of a sandbox token.
 *
 * @throws Refusal 104 without a token, 190 for one that is not good
 */
export async function authenticate(call: GraphCall): Promise<{ account: Account; token: string }> {
  const { name, token } = logins.authenticate(call);
  return { account: await toAccount(name), token };
}

export function readProfile(call: GraphCall, { userId, username, name }: Account): Response {
  const profile = {
    id: userId,
    username,
    name,
    threads_profile_picture_url: undefined,
    threads_biography: "",
    is_verified: false,
  };
  return Response.json(pickAsked(call, profile, ["id"]));
}
