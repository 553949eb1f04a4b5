import * as z from "zod";
import type { Result } from "../../core/result.ts";
import type { Fetch, PublishAccount } from "../connector.ts";
import { formRequest, grantedTokens, refreshByGrant, toConnected } from "../kit/logins.ts";
import type { AppKeys, Connected, Credentials, LoginRefusal } from "../login.ts";
import { API, get, type PinterestRefusal, readReply } from "./api.ts";
import { isLoginLost, isPassing } from "./failures.ts";

const user = z.object({
  id: z.string().min(1),
  username: z.string().min(1),
  business_name: z.string().nullish(),
  profile_image: z.string().nullish(),
});

/**
 * Returns whose tokens these are.
 *
 * @see https://developers.pinterest.com/docs/api/v5/user_account-get
 */
export async function identify(
  fetch: Fetch,
  credentials: Credentials,
): Promise<Result<Connected, LoginRefusal>> {
  const reply = await readReply(await fetch(get("/user_account", credentials.accessToken)), user);
  return toConnected(reply, credentials, isLoginLost, (owner) => ({
    id: owner.id,
    name: owner.business_name,
    handle: owner.username,
    picture: owner.profile_image,
  }));
}

/** "The authorization grant is invalid". */
const INVALID_GRANT = 283;
const ABOUT_THE_TOKEN = /refresh[ _]?token|authorization grant/i;

const isTokenLost = (refusal: PinterestRefusal): boolean =>
  !isPassing(refusal) && (refusal.code === INVALID_GRANT || ABOUT_THE_TOKEN.test(refusal.message));

/**
 * Renews both tokens. The old refresh token dies with the call: a reply that got lost mostly means
 * connecting the account again.
 *
 * @see https://developers.pinterest.com/docs/getting-started/set-up-authentication-and-authorization/
 * @see https://developers.pinterest.com/docs/api/v5/oauth-token
 */
export const refresh = (
  fetch: Fetch,
  credentials: Credentials,
  _account: PublishAccount,
  app: AppKeys | null,
): Promise<Result<Credentials, LoginRefusal>> =>
  refreshByGrant(fetch, credentials, app, {
    platform: "Pinterest",
    request: (keys, refreshToken) =>
      formRequest(
        `${API}/oauth/token`,
        { grant_type: "refresh_token", refresh_token: refreshToken },
        keys,
      ),
    read: (reply) => readReply(reply, grantedTokens),
    // Unknown keys are called an invalid grant as well, so nothing is lost without any.
    isLost: (refusal) => app !== null && isTokenLost(refusal),
    isPassing,
  });

/** Does nothing: a person ends our access in Pinterest's own settings. */
export async function revoke(): Promise<void> {}
