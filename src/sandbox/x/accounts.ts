import { followersOf } from "../kit/audience.ts";
import { isVerifierOf, takeCodeOf } from "../kit/codes.ts";
import { basicOf, bearerOf, pickFields, readForm } from "../kit/input.ts";
import { digitsOf, Logins, type TokenKind, usernameOf } from "../kit/logins.ts";
import { takeRefreshToken } from "../kit/refresh.ts";
import { oauthError } from "../kit/refusal.ts";
import type { Call } from "../kit/simulator.ts";
import { forbidden, invalidRequest, requireFields, requireQuery, unauthorized } from "./call.ts";

export interface Account {
  userId: string;
  username: string;
  name: string;
}

/** Source: X, "OAuth 2.0 user access token". */
const ACCESS_SECONDS = 7_200;
const REFRESH_SECONDS = 180 * 24 * 3_600;
const SCOPES = "tweet.read tweet.write users.read media.write offline.access";

const MAX_USERNAME = 15;

async function toAccount(name: string): Promise<Account> {
  const userId = `1${await digitsOf("x", name, 18)}`;
  const username = usernameOf(name, MAX_USERNAME);
  return { userId, username, name };
}

const loginsOf = ({ env: { store, origin } }: Call) => new Logins(store.sql, "x", origin);

export async function authenticate(call: Call): Promise<{ account: Account; token: string }> {
  const token = bearerOf(call) ?? "";
  const name = loginsOf(call).liveNameOf(token, "access");
  if (name === null) throw unauthorized();
  return { account: await toAccount(name), token };
}

/** Without "free" in the name, an account has Premium. */
export const isSubscriber = ({ name }: Account): boolean => !/\bfree\b/i.test(name);

const subscriptionOf = (account: Account): string => (isSubscriber(account) ? "Premium" : "None");

const userOf = (account: Account): Record<string, unknown> => ({
  id: account.userId,
  name: account.name,
  username: account.username,
  created_at: "2020-01-01T00:00:00.000Z",
  profile_image_url: "https://pbs.twimg.test/profile_images/1/sandbox_normal.jpg",
  protected: false,
  public_metrics: {
    followers_count: followersOf(`x ${account.userId}`),
    following_count: 0,
    tweet_count: 0,
    listed_count: 0,
  },
  subscription_type: subscriptionOf(account),
  verified: subscriptionOf(account) !== "None",
  verified_type: subscriptionOf(account) === "None" ? "none" : "blue",
});

const DEFAULT_FIELDS = ["id", "name", "username"];

export async function readMe(call: Call): Promise<Response> {
  const { account } = await authenticate(call);
  const user = userOf(account);
  const fields = requireFields(
    requireQuery(call, ["user.fields"]),
    ["user.fields"],
    Object.keys(user),
  );
  return Response.json({ data: pickFields(user, [...DEFAULT_FIELDS, ...fields]) });
}

const MAX_USERNAMES = 100;
const NOBODY = /^(?:nobody|unknown)/i;

export async function readUsersBy(call: Call): Promise<Response> {
  await authenticate(call);
  const query = requireQuery(call, ["usernames", "user.fields"]);
  const usernames = (query.usernames ?? "").split(",");
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
  const users = await Promise.all(
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
    ...(users.length > 0 ? { data: users } : {}),
    ...(errors.length > 0 ? { errors } : {}),
  });
}

const MAX_SEARCHED = 1_000;

export async function searchUsers(call: Call): Promise<Response> {
  await authenticate(call);
  const { query = "", max_results = "100" } = requireQuery(call, [
    "query",
    "max_results",
    "next_token",
    "user.fields",
  ]);
  if (!/^[A-Za-z0-9_' ]{1,50}$/.test(query)) {
    throw invalidRequest(
      `The \`query\` query parameter value [${query}] does not match ^[A-Za-z0-9_' ]{1,50}$`,
      { query: [query] },
    );
  }
  const max = /^\d{1,4}$/.test(max_results) ? Number(max_results) : 0;
  if (max < 1 || max > MAX_SEARCHED) {
    throw invalidRequest(
      `The \`max_results\` query parameter value [${max_results}] is not between 1 and ${MAX_SEARCHED}`,
      { max_results: [max_results] },
    );
  }
  if (NOBODY.test(query)) return Response.json({ meta: { result_count: 0 } });
  const own = usernameOf(query, MAX_USERNAME - "_news".length);
  const data = await Promise.all(
    [own, `${own}_news`, `${own}_hq`].slice(0, max).map(async (username) => ({
      id: `1${await digitsOf("x", `@${username}`, 18)}`,
      name: query,
      username,
    })),
  );
  return Response.json({ data, meta: { result_count: data.length } });
}

/** Accepts any app id and secret. */
function requireClient(call: Call): void {
  if (basicOf(call)) return;
  throw oauthError(401, "unauthorized_client", "Missing valid authorization header");
}

const wrongGrant = () =>
  oauthError(400, "unsupported_grant_type", "The grant type is not supported.");

const invalidToken = () =>
  oauthError(400, "invalid_request", "Value passed for the token was invalid.");

/** A used refresh token is revoked. */
export async function grantTokens(call: Call): Promise<Response> {
  requireClient(call);
  const form = await readForm(call);
  if (!form) throw wrongGrant();
  const logins = loginsOf(call);
  const { name, scope } =
    form.get("grant_type") === "authorization_code"
      ? await takeCode(call, form)
      : { name: takeRefreshToken(form, logins, { wrongGrant, invalidToken }), scope: SCOPES };
  return Response.json({
    token_type: "bearer",
    expires_in: ACCESS_SECONDS,
    access_token: logins.issue(name, "access", ACCESS_SECONDS),
    scope,
    ...(scope.includes("offline.access")
      ? { refresh_token: logins.issue(name, "refresh", REFRESH_SECONDS) }
      : {}),
  });
}

const wrongCode = () =>
  oauthError(400, "invalid_request", "Value passed for the authorization code was invalid.");

async function takeCode(
  call: Call,
  form: URLSearchParams,
): Promise<{ name: string; scope: string }> {
  const code = takeCodeOf(call, "x", form.get("code"));
  if (typeof code === "string") throw wrongCode();
  if (code.redirect_uri !== form.get("redirect_uri")) {
    throw oauthError(
      400,
      "invalid_request",
      "Value passed for the redirect uri did not match the uri of the authorization code.",
    );
  }
  const isProven = await isVerifierOf(form.get("code_verifier"), code.challenge);
  if (!isProven) {
    throw oauthError(
      400,
      "invalid_request",
      "Value passed for the code verifier did not match the code challenge.",
    );
  }
  return { name: code.name, scope: code.scopes.join(" ") };
}

const HINTS: Record<string, TokenKind> = { access_token: "access", refresh_token: "refresh" };

export async function revokeToken(call: Call): Promise<Response> {
  requireClient(call);
  const form = await readForm(call);
  const token = form?.get("token");
  const hint = form?.get("token_type_hint");
  const logins = loginsOf(call);
  const isKnown = token && logins.nameOf(token, "access", "refresh");
  if (!isKnown || (hint && !Object.hasOwn(HINTS, hint))) throw invalidToken();
  logins.end(token);
  return Response.json({ revoked: true });
}

export function requireSelf(account: Account, userId: string): void {
  if (account.userId !== userId) throw forbidden("You are not permitted to perform this action.");
}
