import type * as z from "zod";
import type { Result } from "../../core/result.ts";
import type { Connector, Fetch } from "../connector.ts";
import {
  callUnread,
  formRequest,
  grantedTokens,
  isUnknownApp,
  refreshByGrant,
} from "../kit/logins.ts";
import { maybeText } from "../kit/shapes.ts";
import type { Credentials } from "../login.ts";

export const TOKENS = "https://oauth2.googleapis.com";

const tokens = grantedTokens.extend({ refresh_token: maybeText });

interface GoogleLogins<R> {
  platform: string;
  readReply(reply: Response, shape: typeof tokens): Promise<Result<z.infer<typeof tokens>, R>>;
  isTemporary(refusal: R): boolean;
}

/**
 * @param readReply puts OAuth's `error` into `reason`
 * @see https://developers.google.com/identity/protocols/oauth2/web-server
 */
export const googleRefresh =
  <R extends { message: string; reason: string | null }>({
    platform,
    readReply,
    isTemporary,
  }: GoogleLogins<R>): Connector["refresh"] =>
  (fetch, credentials, _account, app) =>
    refreshByGrant(fetch, credentials, app, {
      platform,
      request: ({ clientId, clientSecret }, refreshToken) =>
        formRequest(`${TOKENS}/token`, {
          grant_type: "refresh_token",
          refresh_token: refreshToken,
          client_id: clientId,
          client_secret: clientSecret,
        }),
      read: (reply) => readReply(reply, tokens),
      isLost: ({ reason }) => reason === "invalid_grant",
      isAboutApp: ({ reason }) => isUnknownApp(reason),
      isTemporary,
    });

/**
 * Ends all tokens of the login.
 * @see https://developers.google.com/identity/protocols/oauth2/web-server
 */
export const revoke = (fetch: Fetch, { accessToken, refreshToken }: Credentials): Promise<void> =>
  callUnread(fetch, formRequest(`${TOKENS}/revoke`, { token: refreshToken ?? accessToken }));
