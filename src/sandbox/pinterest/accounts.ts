import { now } from "../../core/clock.ts";
import { DAY, SECOND } from "../../core/time.ts";
import { digitsOf, usernameOf } from "../kit/logins.ts";
import { readBody } from "../kit/simulator.ts";
import { authenticate, type PinterestCall, PinterestError, unauthenticated } from "./call.ts";

/** Lifetimes in seconds. Source: Pinterest, "Set up authentication and authorization". */
const ACCESS_SECONDS = (30 * DAY) / SECOND;
const REFRESH_SECONDS = (60 * DAY) / SECOND;

const SCOPES =
  "boards:read boards:read_secret boards:write boards:write_secret pins:read pins:read_secret pins:write pins:write_secret user_accounts:read";

const MAX_USERNAME = 30;

/** Pinterest's id of the account of this name. */
export const accountIdOf = (name: string): Promise<string> => digitsOf("pinterest", name, 18);

export const handleOf = (name: string): string => usernameOf(name, MAX_USERNAME);

export async function readUserAccount(call: PinterestCall): Promise<Response> {
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

function requireApp({ request }: PinterestCall): void {
  const encoded = BASIC.exec(request.headers.get("authorization") ?? "")?.[1];
  if (!encoded || encoded.length % 4 !== 0 || !atob(encoded).includes(":")) {
    throw unauthenticated();
  }
}

const MAX_FORM_BYTES = 10_000;

const invalidForm = (message: string) => new PinterestError(400, 1, message);

/** A new pair for a refresh token, which dies with it. */
export async function refreshTokens(call: PinterestCall): Promise<Response> {
  requireApp(call);
  const type = call.request.headers.get("content-type") ?? "";
  if (!type.startsWith("application/x-www-form-urlencoded")) {
    throw invalidForm("The request must be a form.");
  }
  const bytes = await readBody(call.request, MAX_FORM_BYTES);
  const form = new URLSearchParams(new TextDecoder().decode(bytes ?? new Uint8Array()));
  if (form.get("grant_type") !== "refresh_token")
    throw invalidForm("The grant type is not supported.");
  const token = form.get("refresh_token") ?? "";
  const name = call.logins.nameOf(token, "refresh");
  if (name === null || name === "expired")
    throw new PinterestError(401, 283, "The authorization grant is invalid");
  call.logins.end(token);
  return Response.json({
    response_type: "refresh_token",
    access_token: call.logins.issue(name, "access", ACCESS_SECONDS),
    token_type: "bearer",
    expires_in: ACCESS_SECONDS,
    scope: SCOPES,
    refresh_token: call.logins.issue(name, "refresh", REFRESH_SECONDS),
    refresh_token_expires_in: REFRESH_SECONDS,
    refresh_token_expires_at: Math.floor(now().getTime() / SECOND) + REFRESH_SECONDS,
  });
}
