import { now } from "../../core/clock.ts";
import { ok, type Result, refuse } from "../../core/result.ts";
import { addSeconds } from "../../core/time.ts";
import { refusedUrl } from "../../core/url-policy.ts";
import type { Connected, Credentials, Fetch, LoginRefusal } from "../connector.ts";
import type { GraphRefusal } from "../meta-graph.ts";
import { getMeRequest, readGetMeReply, readRefreshTokenReply, refreshTokenRequest } from "./api.ts";
import { isLoginLost } from "./failures.ts";

/** Life of a long-lived token where the answer does not say. Source: Meta, "Business Login". */
const TOKEN_LIFE_SECONDS = 60 * 86_400;

const toLoginRefusal = (refusal: GraphRefusal): LoginRefusal => ({
  message: refusal.message,
  final: isLoginLost(refusal),
});

/** Whose token it is. There is no refresh token: the access token renews itself. */
export async function identify(
  fetch: Fetch,
  credentials: Credentials,
): Promise<Result<Connected, LoginRefusal>> {
  const reply = await readGetMeReply(await fetch(getMeRequest(credentials.accessToken)));
  if (!reply.ok) return refuse(toLoginRefusal(reply.error));
  const { user_id, username, name, profile_picture_url: picture } = reply.value;
  return ok({
    profile: {
      platformAccountId: user_id,
      accountName: name?.trim() || username,
      handle: username,
      profileImageUrl: picture && refusedUrl(picture) === null ? picture : null,
      service: null,
    },
    credentials: { ...credentials, refreshToken: null },
  });
}

/**
 * Another 60 days. A token that has run out cannot be renewed, and one younger than 24 hours needs
 * not be: that refusal is not final.
 */
export async function refresh(
  fetch: Fetch,
  { accessToken }: Credentials,
): Promise<Result<Credentials, LoginRefusal>> {
  const reply = await readRefreshTokenReply(await fetch(refreshTokenRequest(accessToken)));
  if (!reply.ok) return refuse(toLoginRefusal(reply.error));
  const { access_token, expires_in = TOKEN_LIFE_SECONDS } = reply.value;
  return ok({
    accessToken: access_token,
    refreshToken: null,
    expiresAt: addSeconds(now(), expires_in),
  });
}

/** Nothing to call: Instagram Login has no documented way to give a token back. */
export async function revoke(): Promise<void> {}
