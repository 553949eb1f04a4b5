import { now } from "../../core/clock.ts";
import { DAY, SECOND } from "../../core/time.ts";
import { followersOf } from "../kit/audience.ts";
import { redeemCode, scopesOf } from "../kit/codes.ts";
import { basicOf, readForm } from "../kit/input.ts";
import { digitsOf, type Logins, usernameOf } from "../kit/logins.ts";
import { takeRefreshToken } from "../kit/refresh.ts";
import type { Call } from "../kit/simulator.ts";
import { authenticate, loginsOf, refusal, unauthenticated } from "./call.ts";

/** Source: Pinterest, "Set up authentication and authorization". */
const ACCESS_SECONDS = (30 * DAY) / SECOND;
const REFRESH_SECONDS = (60 * DAY) / SECOND;

const SCOPES =
  "boards:read boards:read_secret boards:write boards:write_secret pins:read pins:read_secret pins:write pins:write_secret user_accounts:read";

const MAX_USERNAME = 30;

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
    follower_count: followersOf(`pinterest ${name}`),
    following_count: 0,
    monthly_views: 0,
    pin_count: 0,
    board_count: 3,
  });
}

function requireApp(call: Call): { clientId: string; secret: string } {
  const app = basicOf(call);
  if (!app) throw unauthenticated();
  return app;
}

/** A used refresh token is revoked. */
export async function grantTokens(call: Call): Promise<Response> {
  const app = requireApp(call);
  const form = await readForm(call);
  if (!form) throw refusal(400, 1, "The request must be a form.");
  const logins = loginsOf(call);
  if (form.get("grant_type") === "client_credentials") return grantToOwner(logins, app);
  const isCode = form.get("grant_type") === "authorization_code";
  const name = isCode
    ? (await takeCode(call, form, app)).name
    : takeRefreshToken(form, logins, REFRESH_REFUSALS);
  return Response.json({
    response_type: form.get("grant_type"),
    access_token: logins.issue(name, "access", ACCESS_SECONDS),
    token_type: "bearer",
    expires_in: ACCESS_SECONDS,
    scope: scopesOf(call, "pinterest", name)?.join(" ") ?? SCOPES,
    refresh_token: logins.issue(name, "refresh", REFRESH_SECONDS),
    refresh_token_expires_in: REFRESH_SECONDS,
    refresh_token_expires_at: Math.floor(now().getTime() / SECOND) + REFRESH_SECONDS,
  });
}

function grantToOwner(logins: Logins, app: ReturnType<typeof requireApp>): Response {
  if (!app.clientId || !app.secret) throw unauthenticated();
  return Response.json({
    response_type: "client_credentials",
    access_token: logins.issue("The owner of the app", "access", ACCESS_SECONDS),
    token_type: "bearer",
    expires_in: ACCESS_SECONDS,
    scope: "user_accounts:read",
  });
}

const invalidGrant = () => refusal(401, 283, "The authorization grant is invalid");

function takeCode(call: Call, form: URLSearchParams, app: ReturnType<typeof requireApp>) {
  const { clientId, secret } = app;
  if (!clientId || !secret) throw unauthenticated();
  const refusals = {
    dead: invalidGrant,
    otherClient: unauthenticated,
    otherRedirect: invalidGrant,
  };
  return redeemCode(call, "pinterest", { form, clientId }, refusals);
}

const REFRESH_REFUSALS = {
  wrongGrant: () => refusal(400, 1, "The grant type is not supported."),
  invalidToken: invalidGrant,
};
