import { now } from "../../core/clock.ts";
import { ok, type Result, refuse } from "../../core/result.ts";
import { addSeconds } from "../../core/time.ts";
import { refusedUrl } from "../../core/url-policy.ts";
import type { AppKeys, Connected, Credentials, Fetch, LoginRefusal } from "../connector.ts";
import { getChannelRequest, readGetChannelReply } from "./api.ts";
import { isAskedAgain } from "./failures.ts";
import { readRefreshTokenReply, refreshTokenRequest, revokeTokenRequest } from "./login-api.ts";

const finalRefusal = (message: string) => refuse<LoginRefusal>({ message, final: true });

/** The channel that these tokens are for: a login is given for one. */
export async function identify(
  fetch: Fetch,
  credentials: Credentials,
): Promise<Result<Connected, LoginRefusal>> {
  const request = getChannelRequest(credentials.accessToken, "id,snippet");
  const reply = await readGetChannelReply(await fetch(request));
  if (!reply.ok) {
    const { reason, message } = reply.error;
    const isAboutQuota = reason === "quotaExceeded" || reason === "dailyLimitExceeded";
    return refuse({ message, final: !isAboutQuota && !isAskedAgain(reply.error) });
  }
  if (!reply.value) return finalRefusal("This Google account has no YouTube channel.");
  const { id, snippet } = reply.value;
  const handle = snippet?.customUrl?.trim().replace(/^@/, "") || null;
  const picture = snippet?.thumbnails?.medium?.url ?? snippet?.thumbnails?.default?.url;
  const profile = {
    platformAccountId: id,
    accountName: snippet?.title?.trim() || handle || id,
    handle,
    profileImageUrl: picture && refusedUrl(picture) === null ? picture : null,
    service: null,
  };
  return ok({ profile, credentials });
}

const KEYS_MISSING =
  "YOUTUBE_CLIENT_ID and YOUTUBE_CLIENT_SECRET are not set, so this login cannot be renewed.";

/** The refresh token itself is refused; every other refusal is about the app or the moment. */
const LOST_LOGIN = "invalid_grant";

/**
 * A new access token. The refresh token stays, unless Google sends another.
 *
 * @see https://developers.google.com/identity/protocols/oauth2/web-server
 */
export async function refresh(
  fetch: Fetch,
  { refreshToken, expiresAt }: Credentials,
  app: AppKeys | null,
): Promise<Result<Credentials, LoginRefusal>> {
  if (!refreshToken) {
    return finalRefusal("This YouTube login cannot be renewed; connect the account again.");
  }
  // Without keys Google refuses the call in its own words; a simulated account needs none.
  const keys = app ?? { clientId: "", clientSecret: "" };
  const reply = await readRefreshTokenReply(await fetch(refreshTokenRequest(keys, refreshToken)));
  if (!reply.ok) {
    const { reason, message } = reply.error;
    if (reason === LOST_LOGIN) return finalRefusal(message);
    if (app || isAskedAgain(reply.error)) return refuse({ message, final: false });
    return refuse({ message: KEYS_MISSING, final: expiresAt !== null && expiresAt <= now() });
  }
  const { access_token, refresh_token, expires_in } = reply.value;
  return ok({
    accessToken: access_token,
    refreshToken: refresh_token || refreshToken,
    expiresAt: addSeconds(now(), expires_in),
  });
}

/** Takes our app's access away; the refresh token's end is that of all tokens of the login. */
export async function revoke(
  fetch: Fetch,
  { accessToken, refreshToken }: Credentials,
): Promise<void> {
  const reply = await fetch(revokeTokenRequest(refreshToken ?? accessToken));
  await reply.body?.cancel();
}
