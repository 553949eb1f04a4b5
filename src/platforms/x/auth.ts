import * as z from "zod";
import type { Result } from "../../core/result.ts";
import type { Connector, Fetch } from "../connector.ts";
import {
  callUnread,
  formRequest,
  grantedTokens,
  isUnknownApp,
  keysOf,
  refreshByGrant,
  toConnected,
} from "../kit/logins.ts";
import type { Connected, Credentials, LoginRefusal } from "../login.ts";
import { API, meRequest, readMeReply, readReply, type XRefusal } from "./api.ts";
import { isAboutApp, isTemporary } from "./failures.ts";

/** The full-size picture's URL has no suffix. */
const wholePicture = (url: string): string => url.replace(/_normal(?=\.\w+$)/, "");

export async function identify(
  fetch: Fetch,
  credentials: Credentials,
): Promise<Result<Connected, LoginRefusal>> {
  const reply = await readMeReply(await fetch(meRequest(credentials.accessToken)));
  const isFinal = (refusal: XRefusal) => !isTemporary(refusal) && !isAboutApp(refusal);
  return toConnected(reply, credentials, isFinal, ({ id, name, username, profile_image_url }) => ({
    id,
    name,
    handle: username,
    picture: profile_image_url && wholePicture(profile_image_url),
  }));
}

const tokens = grantedTokens.extend({ expires_in: z.number().positive().nullish() });

/** For an expired refresh token, X has two error names. */
const isLost = ({ status, problem, message }: XRefusal): boolean =>
  problem === "invalid_grant" ||
  (status === 400 && problem === "invalid_request" && /token was invalid/i.test(message));

/**
 * Invalidates the old refresh token: after a lost reply, people must usually reconnect.
 * @see https://docs.x.com/fundamentals/authentication/oauth-2-0/user-access-token
 */
export const refresh: Connector["refresh"] = (fetch, credentials, _account, app) =>
  refreshByGrant(fetch, credentials, app, {
    platform: "X",
    request: (keys, refreshToken) =>
      formRequest(
        `${API}/2/oauth2/token`,
        { grant_type: "refresh_token", refresh_token: refreshToken },
        keys,
      ),
    read: (reply) => readReply(reply, tokens),
    isLost,
    isAboutApp: ({ problem }) => isUnknownApp(problem),
    isTemporary,
  });

/**
 * Revokes both tokens, because each stays valid without the other.
 * @see https://docs.x.com/fundamentals/authentication/oauth-2-0/user-access-token
 */
export const revoke: Required<Connector>["revoke"] = async (fetch, credentials, _account, app) => {
  const { accessToken, refreshToken } = credentials;
  const end = (token: string, token_type_hint: string) => {
    const fields = { token, token_type_hint };
    return callUnread(fetch, formRequest(`${API}/2/oauth2/revoke`, fields, keysOf(app)));
  };
  if (refreshToken) await end(refreshToken, "refresh_token");
  await end(accessToken, "access_token");
};
