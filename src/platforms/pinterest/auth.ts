import * as z from "zod";
import { now } from "../../core/clock.ts";
import { ok, type Result, refuse } from "../../core/result.ts";
import { addSeconds } from "../../core/time.ts";
import { refusedUrl } from "../../core/url-policy.ts";
import type { AppKeys, Connected, Credentials, Fetch, LoginRefusal } from "../connector.ts";
import { API, get, type PinterestRefusal, readReply } from "./api.ts";
import { isAskedAgain, isLoginLost } from "./failures.ts";

const user = z.object({
  id: z.string().min(1),
  username: z.string().min(1),
  business_name: z.string().nullish(),
  profile_image: z.string().nullish(),
});

/**
 * Whose tokens these are.
 *
 * @see https://developers.pinterest.com/docs/api/v5/user_account-get
 */
export async function identify(
  fetch: Fetch,
  credentials: Credentials,
): Promise<Result<Connected, LoginRefusal>> {
  const reply = await readReply(await fetch(get("/user_account", credentials.accessToken)), user);
  if (!reply.ok) return refuse({ message: reply.error.message, final: isLoginLost(reply.error) });
  const { id, username, business_name, profile_image } = reply.value;
  const profile = {
    platformAccountId: id,
    accountName: business_name?.trim() || username,
    handle: username,
    profileImageUrl: profile_image && refusedUrl(profile_image) === null ? profile_image : null,
    service: null,
  };
  return ok({ profile, credentials });
}

/** Without keys Pinterest refuses the call in its own words; a simulated account needs none. */
const basic = (app: AppKeys | null): string =>
  `Basic ${btoa(`${app?.clientId ?? ""}:${app?.clientSecret ?? ""}`)}`;

/** @see https://developers.pinterest.com/docs/api/v5/oauth-token */
export const refreshTokenRequest = (app: AppKeys | null, refreshToken: string): Request =>
  new Request(`${API}/oauth/token`, {
    method: "POST",
    headers: {
      authorization: basic(app),
      "content-type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams({
      grant_type: "refresh_token",
      refresh_token: refreshToken,
    }).toString(),
    redirect: "manual",
  });

const tokens = z.object({
  access_token: z.string().min(1),
  expires_in: z.number().positive(),
  /** Missing where the old one goes on to be good. */
  refresh_token: z.string().min(1).nullish(),
});

const KEYS_MISSING =
  "PINTEREST_CLIENT_ID and PINTEREST_CLIENT_SECRET are not set, so this login cannot be renewed.";
const CANNOT_BE_RENEWED = "This Pinterest login cannot be renewed; connect the account again.";

/** "The authorization grant is invalid". */
const INVALID_GRANT = 283;
const ABOUT_THE_TOKEN = /refresh[ _]?token|authorization grant/i;

/** The refresh token itself is refused; every other refusal is about the app or the moment. */
const isTokenLost = ({ code, message }: PinterestRefusal): boolean =>
  code === INVALID_GRANT || ABOUT_THE_TOKEN.test(message);

/**
 * A new pair of tokens. The old refresh token dies with the call: a reply that got lost mostly means
 * connecting the account again.
 *
 * @see https://developers.pinterest.com/docs/getting-started/set-up-authentication-and-authorization/
 */
export async function refresh(
  fetch: Fetch,
  { refreshToken, expiresAt }: Credentials,
  app: AppKeys | null,
): Promise<Result<Credentials, LoginRefusal>> {
  if (!refreshToken) return refuse({ message: CANNOT_BE_RENEWED, final: true });
  const reply = await readReply(await fetch(refreshTokenRequest(app, refreshToken)), tokens);
  if (!reply.ok) {
    const { message } = reply.error;
    if (isAskedAgain(reply.error)) return refuse({ message, final: false });
    // Keys that are not known are called an invalid grant as well, so nothing is lost without any.
    if (app) return refuse({ message, final: isTokenLost(reply.error) });
    return refuse({ message: KEYS_MISSING, final: expiresAt !== null && expiresAt <= now() });
  }
  const { access_token, refresh_token, expires_in } = reply.value;
  return ok({
    accessToken: access_token,
    refreshToken: refresh_token ?? refreshToken,
    expiresAt: addSeconds(now(), expires_in),
  });
}

/** Nothing to call: a person ends our access in Pinterest's own settings. */
export async function revoke(): Promise<void> {}
