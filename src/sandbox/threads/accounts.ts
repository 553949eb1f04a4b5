import { digitsOf, Logins, usernameOf } from "../logins.ts";
import {
  type GraphCall,
  GraphError,
  invalidParameter,
  pickFields,
  unsupported,
} from "../meta-graph.ts";

export interface Account {
  /** 17 digits: more than a number holds exactly. */
  userId: string;
  username: string;
  name: string;
}

/** Life of a refreshed token. Source: Threads API, "Long-lived tokens". */
const TOKEN_SECONDS = 5_184_000;
const MAX_USERNAME = 30;

const invalidToken = (): GraphError =>
  new GraphError(190, "Invalid OAuth access token - Cannot parse access token", { status: 401 });

export const expiredToken = (): GraphError =>
  new GraphError(190, "Error validating access token: Session has expired", {
    subcode: 463,
    status: 401,
  });

/**
 * Whose token the call carries; the account of a sandbox token comes into being here.
 *
 * @throws GraphError 104 without a token, 190 for one that is not good
 */
export async function authenticate(call: GraphCall): Promise<{ account: Account; token: string }> {
  const { store, origin, token } = call;
  if (!token) throw new GraphError(104, "An access token is required to request this resource.");
  const name = new Logins(store, "threads", origin).nameOf(token, "access");
  if (name === null) throw invalidToken();
  if (name === "expired") throw expiredToken();
  const userId = await digitsOf("threads", name, 17);
  return { account: { userId, username: usernameOf(name, MAX_USERNAME), name }, token };
}

/** A path may name the account by its id, or as `me`. */
export function requireSelf(account: Account, id: string, verb: string): void {
  if (id !== account.userId && id !== "me") throw unsupported(verb, id);
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
  return Response.json(pickFields(call, profile, ["id"]));
}

/** Gives out a new token; the old one lives on to its end, as it does there. */
export async function refreshToken(call: GraphCall): Promise<Response> {
  const { params, store, origin } = call;
  if (params.get("grant_type") !== "th_refresh_token") {
    throw invalidParameter("Invalid grant_type: must be th_refresh_token");
  }
  const { account } = await authenticate(call);
  const logins = new Logins(store, "threads", origin);
  return Response.json({
    access_token: logins.issue(account.name, "access", TOKEN_SECONDS),
    token_type: "bearer",
    expires_in: TOKEN_SECONDS,
  });
}
