import { randomHex } from "../../core/ids.ts";
import { digitsOf, Logins, type TokenKind, usernameOf } from "../kit/logins.ts";
import {
  forbidden,
  invalidRequest,
  readForm,
  requireFields,
  requireQuery,
  unauthorized,
  type XCall,
} from "./call.ts";

export interface Account {
  userId: string;
  username: string;
  name: string;
}

/** Source: X, "OAuth 2.0 user access token". */
const ACCESS_SECONDS = 7_200;
const REFRESH_SECONDS = 180 * 24 * 3_600;
const SCOPES = "tweet.read tweet.write users.read media.write offline.access";

/** Characters of a username. */
const MAX_USERNAME = 15;

async function toAccount(name: string): Promise<Account> {
  const userId = `1${await digitsOf("x", name, 18)}`;
  const username = usernameOf(name, MAX_USERNAME);
  return { userId, username, name };
}

/**
 * Whose token the call carries.
 *
 * @throws XError 401
 */
export async function authenticate(call: XCall): Promise<{ account: Account; token: string }> {
  const authorization = call.request.headers.get("authorization") ?? "";
  const token = /^Bearer (\S+)$/.exec(authorization)?.[1];
  if (!token) throw unauthorized();
  const name = new Logins(call.store.sql, "x", call.origin).nameOf(token, "access");
  if (name === null || name === "expired") throw unauthorized();
  return { account: await toAccount(name), token };
}

/** An account is a subscriber, unless its name says that it is free of charge. */
export const isSubscriber = ({ name }: Account): boolean => !/\bfree\b/i.test(name);

const subscriptionOf = (account: Account): string => (isSubscriber(account) ? "Premium" : "None");

const userOf = (account: Account): Record<string, unknown> => ({
  id: account.userId,
  name: account.name,
  username: account.username,
  created_at: "2020-01-01T00:00:00.000Z",
  profile_image_url: "https://pbs.twimg.test/profile_images/1/sandbox_normal.jpg",
  protected: false,
  public_metrics: { followers_count: 0, following_count: 0, tweet_count: 0, listed_count: 0 },
  subscription_type: subscriptionOf(account),
  verified: subscriptionOf(account) !== "None",
  verified_type: subscriptionOf(account) === "None" ? "none" : "blue",
});

const DEFAULT_FIELDS = ["id", "name", "username"];

function pick(user: Record<string, unknown>, fields: readonly string[]): Record<string, unknown> {
  const names = new Set([...DEFAULT_FIELDS, ...fields]);
  return Object.fromEntries([...names].map((name) => [name, user[name]]));
}

export async function readMe(call: XCall): Promise<Response> {
  const { account } = await authenticate(call);
  const user = userOf(account);
  const fields = requireFields(
    requireQuery(call, ["user.fields"]),
    ["user.fields"],
    Object.keys(user),
  );
  return Response.json({ data: pick(user, fields) });
}

const MAX_USERNAMES = 100;
/** Names that stand for people who are not there; everybody else is. */
const NOBODY = /^(?:nobody|unknown)/i;

/** Users by their names, which are found whoever they are, but for those that begin with `nobody`. */
export async function readUsersBy(call: XCall): Promise<Response> {
  await authenticate(call);
  const query = requireQuery(call, ["usernames", "user.fields"]);
  const usernames = (query.get("usernames") ?? "").split(",");
  if (usernames.length > MAX_USERNAMES) {
    throw invalidRequest(
      "The number of values in the `usernames` query parameter list is too large",
    );
  }
  const odd = usernames.find((name) => !/^[A-Za-z0-9_]{1,15}$/.test(name));
  if (odd !== undefined) {
    throw invalidRequest(
      `The \`usernames\` query parameter value [${odd}] does not match ^[A-Za-z0-9_]{1,15}$`,
      { usernames },
    );
  }
  const found = await Promise.all(
    usernames
      .filter((name) => !NOBODY.test(name))
      .map(async (username) => ({
        id: `1${await digitsOf("x", `@${username.toLowerCase()}`, 18)}`,
        name: username,
        username,
      })),
  );
  const errors = usernames
    .filter((name) => NOBODY.test(name))
    .map((name) => ({
      value: name,
      detail: `Could not find user with usernames: [${name}].`,
      title: "Not Found Error",
      resource_type: "user",
      parameter: "usernames",
      resource_id: name,
      type: "https://api.x.com/2/problems/resource-not-found",
    }));
  return Response.json({
    ...(found.length > 0 ? { data: found } : {}),
    ...(errors.length > 0 ? { errors } : {}),
  });
}

const oauthError = (status: number, error: string, error_description: string): Response =>
  Response.json({ error, error_description }, { status });

/** Which app asks does not matter here, but it has to say so as a confidential client does. */
function readClient(call: XCall): Response | null {
  const encoded = /^Basic (\S+)$/.exec(call.request.headers.get("authorization") ?? "")?.[1];
  try {
    if (encoded && atob(encoded).includes(":")) return null;
  } catch {
    // Not base64: refused like no header at all.
  }
  return oauthError(401, "unauthorized_client", "Missing valid authorization header");
}

/** A new pair for a refresh token, which dies with it. */
export async function refreshTokens(call: XCall): Promise<Response> {
  const refusal = readClient(call);
  if (refusal) return refusal;
  const form = await readForm(call);
  if (form?.get("grant_type") !== "refresh_token") {
    return oauthError(400, "unsupported_grant_type", "The grant type is not supported.");
  }
  const logins = new Logins(call.store.sql, "x", call.origin);
  const refreshToken = form.get("refresh_token") ?? "";
  const name = logins.nameOf(refreshToken, "refresh");
  if (name === null || name === "expired") {
    return oauthError(400, "invalid_request", "Value passed for the token was invalid.");
  }
  logins.end(refreshToken);
  return Response.json({
    token_type: "bearer",
    expires_in: ACCESS_SECONDS,
    access_token: logins.issue(name, "access", ACCESS_SECONDS),
    scope: SCOPES,
    refresh_token: logins.issue(name, "refresh", REFRESH_SECONDS),
  });
}

const HINTS: Record<string, TokenKind> = { access_token: "access", refresh_token: "refresh" };

/** Ends one token. */
export async function revokeToken(call: XCall): Promise<Response> {
  const refusal = readClient(call);
  if (refusal) return refusal;
  const form = await readForm(call);
  const token = form?.get("token");
  const hint = form?.get("token_type_hint");
  if (!token || (hint && !Object.hasOwn(HINTS, hint))) {
    return oauthError(400, "invalid_request", "Value passed for the token was invalid.");
  }
  const logins = new Logins(call.store.sql, "x", call.origin);
  const isKnown = (["access", "refresh"] as const).some((kind) => logins.nameOf(token, kind));
  if (!isKnown) {
    return oauthError(400, "invalid_request", "Value passed for the token was invalid.");
  }
  logins.end(token);
  return Response.json({ revoked: true });
}

/** @throws XError 403 where somebody else's things are asked for */
export function requireSelf(account: Account, userId: string): void {
  if (account.userId !== userId) throw forbidden("You are not permitted to perform this action.");
}

/** A secret that nobody guesses, for ids that only have to differ. */
export const randomDigits = (count: number): string =>
  [...randomHex(count)]
    .map((digit) => Number.parseInt(digit, 16) % 10)
    .join("")
    .slice(0, count);
