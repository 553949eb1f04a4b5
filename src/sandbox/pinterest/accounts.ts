import { now } from "../../core/clock.ts";
import { DAY, SECOND } from "../../core/time.ts";
import { digitsOf, usernameOf } from "../kit/logins.ts";
import { readRefresh } from "../kit/refresh.ts";
import type { Call } from "../kit/simulator.ts";
import { authenticate, loginsOf, refusal, unauthenticated } from "./call.ts";

/** Lifetimes in seconds. Source: Pinterest, "Set up authentication and authorization". */
const ACCESS_SECONDS = (30 * DAY) / SECOND;
const REFRESH_SECONDS = (60 * DAY) / SECOND;

const SCOPES =
  "boards:read boards:read_secret boards:write boards:write_secret pins:read pins:read_secret pins:write pins:write_secret user_accounts:read";

const MAX_USERNAME = 30;

/** Pinterest's id of the account of this name. */
export const accountIdOf = (name: string): Promise<string> => digitsOf("pinterest", name, 18);

export const handleOf = (name: string): string => usernameOf(name, MAX_USERNAME);

export async function readUserAccount(call: Call): Promise<Response> {
  const { name } = authenticate(call);
  return Response.json({
    id: await accountIdOf(name),
    username: handleOf(name),
    account_type: "BUSINESS",
    business_name: name,
    profile_image: "https://i.pinimg.test/avatar.jpg",
    website_url: null,
    follower_count: 0,
    following_count: 0,
    monthly_views: 0,
    pin_count: 0,
    board_count: 3,
  });
}

/** The keys of an app, whichever they are. */
const BASIC = /^Basic ([A-Za-z0-9+/]+=*)$/;

function requireApp({ req }: Call): void {
  const encoded = BASIC.exec(req.header("authorization") ?? "")?.[1];
  if (!encoded || encoded.length % 4 !== 0 || !atob(encoded).includes(":")) {
    throw unauthenticated();
  }
}

/** Exchanges a refresh token, which ends with it, for a new pair. */
export async function refreshTokens(call: Call): Promise<Response> {
  requireApp(call);
  const logins = loginsOf(call);
  const { name, token } = await readRefresh(call, logins, {
    notForm: () => refusal(400, 1, "The request must be a form."),
    wrongGrant: () => refusal(400, 1, "The grant type is not supported."),
    invalidToken: () => refusal(401, 283, "The authorization grant is invalid"),
  });
  logins.end(token);
  return Response.json({
    response_type: "refresh_token",
    access_token: logins.issue(name, "access", ACCESS_SECONDS),
    token_type: "bearer",
    expires_in: ACCESS_SECONDS,
    scope: SCOPES,
    refresh_token: logins.issue(name, "refresh", REFRESH_SECONDS),
    refresh_token_expires_in: REFRESH_SECONDS,
    refresh_token_expires_at: Math.floor(now().getTime() / SECOND) + REFRESH_SECONDS,
  });
}
