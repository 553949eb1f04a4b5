import { ok, type Result, refuse } from "../../core/result.ts";
import type { Fetch } from "../connector.ts";
import type { ConsentRefusal, ConsentReturn, Grant } from "../consent.ts";
import {
  askedScopes,
  consentRefusal,
  exchangeCode,
  standardBegin,
  type TokenServer,
  toGrant,
} from "../kit/consents.ts";
import { toConsentRefusal } from "../kit/logins.ts";
import type { AppKeys } from "../login.ts";
import { findChannel, NO_CHANNEL, TOKENS } from "./auth.ts";
import { scopes } from "./capabilities.ts";

/** Google names itself in the callback, and is refused by any other name. */
const SERVER: TokenServer = {
  platform: "YouTube",
  issuer: "https://accounts.google.com",
  tokenEndpoint: `${TOKENS}/token`,
  clientAuth: "body",
  hasPkce: true,
};

/**
 * The way to Google's consent page. A refresh token comes with the first consent alone, unless the person is
 * asked anew; another channel is reached only where the account is asked for too.
 *
 * @see https://developers.google.com/identity/protocols/oauth2/web-server
 */
export const begin = standardBegin(
  "https://accounts.google.com/o/oauth2/v2/auth",
  (app) => ({
    scope: askedScopes(scopes, app).join(" "),
    access_type: "offline",
    prompt: "consent select_account",
  }),
  SERVER,
);

/** Exchanges the code, and asks for the channel that the person chose at Google: a login is for one. */
export async function finish(
  fetch: Fetch,
  back: ConsentReturn,
  app: AppKeys,
): Promise<Result<Grant, ConsentRefusal>> {
  const granted = await exchangeCode(fetch, SERVER, back, app);
  if (!granted.ok) return granted;
  if (granted.value.credentials.refreshToken === null) {
    return consentRefusal(
      "refused",
      "Google gave no login that lasts longer than an hour. Remove this app at https://myaccount.google.com/connections, then connect the channel again.",
    );
  }
  return toGrant(granted.value, scopes, async (credentials) => {
    const found = await findChannel(fetch, credentials);
    if (!found.ok) return refuse(toConsentRefusal(found.error));
    return found.value
      ? ok([found.value])
      : consentRefusal(
          "no_account",
          `${NO_CHANNEL} Create one at https://www.youtube.com/create_channel, or sign in to Google as another account.`,
        );
  });
}
