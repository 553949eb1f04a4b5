import { now } from "../../core/clock.ts";
import { ok, type Result, refuse } from "../../core/result.ts";
import { addSeconds } from "../../core/time.ts";
import { refusedUrl } from "../../core/url-policy.ts";
import type {
  AppKeys,
  Connected,
  Credentials,
  Fetch,
  LoginRefusal,
  PublishAccount,
} from "../connector.ts";
import type { TikTokRefusal } from "./api.ts";
import { isAskedAgain } from "./failures.ts";
import {
  BASIC_FIELDS,
  PROFILE_FIELDS,
  readTokenReply,
  readUserInfoReply,
  refreshTokenRequest,
  revokeTokenRequest,
  type User,
  userInfoRequest,
} from "./login-api.ts";

const finalRefusal = (message: string) => refuse<LoginRefusal>({ message, final: true });

/** One field that the login may not read has the whole call refused. */
const MISSING_SCOPE = new Set(["scope_not_authorized", "scope_permission_missed"]);

async function readUser(
  fetch: Fetch,
  accessToken: string,
  fields: readonly string[],
): Promise<Result<User, TikTokRefusal>> {
  return readUserInfoReply(await fetch(userInfoRequest(accessToken, fields)));
}

/** Whose tokens these are; without a handle where the login may read only the basics. */
export async function identify(
  fetch: Fetch,
  credentials: Credentials,
): Promise<Result<Connected, LoginRefusal>> {
  const { accessToken } = credentials;
  let user = await readUser(fetch, accessToken, PROFILE_FIELDS);
  if (!user.ok && MISSING_SCOPE.has(user.error.code ?? "")) {
    user = await readUser(fetch, accessToken, BASIC_FIELDS);
  }
  if (!user.ok) return refuse({ message: user.error.message, final: !isAskedAgain(user.error) });
  const { open_id, username, display_name, avatar_url } = user.value;
  const handle = username?.trim() || null;
  const profile = {
    platformAccountId: open_id,
    accountName: display_name?.trim() || handle || open_id,
    handle,
    profileImageUrl: avatar_url && refusedUrl(avatar_url) === null ? avatar_url : null,
    service: null,
  };
  return ok({ profile, credentials });
}

/** Without keys TikTok refuses the call in its own words; a simulated account needs none. */
const toClientKeys = (app: AppKeys | null) => ({
  clientKey: app?.clientId ?? "",
  clientSecret: app?.clientSecret ?? "",
});

const KEYS_MISSING =
  "TIKTOK_CLIENT_ID and TIKTOK_CLIENT_SECRET are not set, so this login cannot be renewed.";

/** The refresh token itself is refused; every other refusal is about the app or the moment. */
const LOST_LOGIN = "invalid_grant";

/**
 * A new pair of tokens. The old refresh token dies with the call: a reply that got lost mostly means
 * connecting the account again.
 *
 * @see https://developers.tiktok.com/doc/oauth-user-access-token-management
 */
export async function refresh(
  fetch: Fetch,
  credentials: Credentials,
  account: PublishAccount,
  app: AppKeys | null,
): Promise<Result<Credentials, LoginRefusal>> {
  const { refreshToken, expiresAt } = credentials;
  if (!refreshToken) {
    return finalRefusal("This TikTok login cannot be renewed; connect the account again.");
  }
  const reply = await readTokenReply(
    await fetch(refreshTokenRequest(toClientKeys(app), refreshToken)),
  );
  if (!reply.ok) {
    const { code, message } = reply.error;
    if (code === LOST_LOGIN) return finalRefusal(message);
    if (app || isAskedAgain(reply.error)) return refuse({ message, final: false });
    return refuse({ message: KEYS_MISSING, final: expiresAt !== null && expiresAt <= now() });
  }
  const { access_token, refresh_token, expires_in, refresh_expires_in, open_id } = reply.value;
  if (open_id && open_id !== account.platformAccountId) {
    return finalRefusal(`TikTok answered for another account, ${open_id}.`);
  }
  return ok({
    accessToken: access_token,
    refreshToken: refresh_token,
    expiresAt: addSeconds(now(), expires_in),
    refreshEndsAt: refresh_expires_in ? addSeconds(now(), refresh_expires_in) : null,
  });
}

/** Takes our app's access away. */
export async function revoke(
  fetch: Fetch,
  credentials: Credentials,
  app: AppKeys | null,
): Promise<void> {
  const reply = await fetch(revokeTokenRequest(toClientKeys(app), credentials.accessToken));
  await reply.body?.cancel();
}
