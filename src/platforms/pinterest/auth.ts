import * as z from "zod";
import { type Result, refuse } from "../../core/result.ts";
import type { Connector, Fetch } from "../connector.ts";
import {
  finalRefusal,
  formRequest,
  grantedTokens,
  refreshByGrant,
  toConnected,
} from "../kit/logins.ts";
import type { Connected, Credentials, LoginRefusal } from "../login.ts";
import { API, get, type PinterestRefusal, readReply } from "./api.ts";
import { checkApp } from "./app-check.ts";
import { isLoginLost, isTemporary } from "./failures.ts";

const user = z.object({
  id: z.string().min(1),
  username: z.string().min(1),
  business_name: z.string().nullish(),
  profile_image: z.string().nullish(),
});

/** @see https://developers.pinterest.com/docs/api/v5/user_account-get */
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

const ABOUT_THE_TOKEN = /refresh[ _]?token/i;

const isTokenLost = (refusal: PinterestRefusal): boolean =>
  !isTemporary(refusal) && ABOUT_THE_TOKEN.test(refusal.message);

const INVALID_GRANT = 283;

const isUnclear = (refusal: PinterestRefusal): boolean =>
  !isTemporary(refusal) &&
  (refusal.status === 401 ||
    refusal.code === INVALID_GRANT ||
    /authorization grant/i.test(refusal.message));

/**
 * Pinterest ends the old refresh token at once: after a lost reply, the account mostly has to be connected again.
 * @see https://developers.pinterest.com/docs/getting-started/set-up-authentication-and-authorization/
 * @see https://developers.pinterest.com/docs/api/v5/oauth-token
 */
export const refresh: Connector["refresh"] = async (fetch, credentials, _account, app) => {
  let isDoubtful = false;
  const renewed = await refreshByGrant(fetch, credentials, app, {
    platform: "Pinterest",
    request: (keys, refreshToken) =>
      formRequest(
        `${API}/oauth/token`,
        { grant_type: "refresh_token", refresh_token: refreshToken },
        keys,
      ),
    read: (reply) => readReply(reply, grantedTokens),
    isLost: (refusal) => {
      isDoubtful = !isTokenLost(refusal) && isUnclear(refusal);
      return app !== null && isTokenLost(refusal);
    },
    isAboutApp: () => false,
    isTemporary,
  });
  if (renewed.ok || !isDoubtful || app === null) return renewed;
  // Pinterest refuses unknown app keys with the same words as an ended login.
  const { verdict, message } = await checkApp(fetch, app);
  if (verdict === "wrong") return refuse({ message, final: false });
  return verdict === "right" ? finalRefusal(renewed.error.message) : renewed;
};
