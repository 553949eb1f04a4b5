import { digitsOf, usernameOf } from "../kit/logins.ts";
import { type GraphCall, graphError, pickRequested } from "../meta/graph.ts";
import { MetaLogins } from "../meta/logins.ts";

export interface Account {
  /** 17 digits: above `Number.MAX_SAFE_INTEGER`. */
  userId: string;
  username: string;
  name: string;
}

/** Source: Threads API, "Long-lived tokens". */
const TOKEN_SECONDS = 5_184_000;
const MAX_USERNAME = 30;

export const logins = new MetaLogins("threads", "th", TOKEN_SECONDS);

export const toAccount = async (name: string): Promise<Account> => ({
  userId: await digitsOf("threads", name, 17),
  username: usernameOf(name, MAX_USERNAME),
  name,
});

/**
 * A sandbox token's first call creates the account.
 *
 * @throws Refusal 104 without a token, 190 for an invalid one
 */
export async function authenticate(call: GraphCall): Promise<{ account: Account; token: string }> {
  const { name, token } = logins.authenticate(call);
  return { account: await toAccount(name), token };
}

export const noPermission = () =>
  graphError(10, "(#10) Application does not have permission for this action");

export function readProfile(call: GraphCall, { userId, username, name }: Account): Response {
  const profile = {
    id: userId,
    username,
    name,
    threads_profile_picture_url: undefined,
    threads_biography: "",
    is_verified: false,
  };
  return Response.json(pickRequested(call, profile, ["id"]));
}
