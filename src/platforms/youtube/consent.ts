import { ok, refuse } from "../../core/result.ts";
import type { ConsentPage } from "../consent.ts";
import {
  consentRefusal,
  exchangeCode,
  requestedScopes,
  standardBegin,
  type TokenServer,
  toGrant,
} from "../kit/consents.ts";
import { toConsentRefusal } from "../kit/logins.ts";
import { findChannel, NO_CHANNEL, TOKENS } from "./auth.ts";
import { scopes } from "./capabilities.ts";

const SERVER: TokenServer = {
  platform: "YouTube",
  issuer: "https://accounts.google.com",
  tokenEndpoint: `${TOKENS}/token`,
  clientAuth: "body",
  hasPkce: true,
};

/**
 * Google sends a refresh token only after `consent`; `select_account` allows another channel.
 * @see https://developers.google.com/identity/protocols/oauth2/web-server
 */
export const begin = standardBegin(
  "https://accounts.google.com/o/oauth2/v2/auth",
  (app) => ({
    scope: requestedScopes(scopes, app).join(" "),
    access_type: "offline",
    prompt: "consent select_account",
  }),
  SERVER,
);

export const finish: ConsentPage["finish"] = async (fetch, back, app) => {
  const granted = await exchangeCode(fetch, SERVER, back, app);
  if (!granted.ok) return granted;
  if (granted.value.credentials.refreshToken === null) {
    return consentRefusal(
      "refused",
      "Google gave no login that lasts longer than an hour. Remove this app at https://myaccount.google.com/connections, then connect the channel again.",
    );
  }
  const grant = await toGrant(granted.value, scopes, async (credentials) => {
    const channel = await findChannel(fetch, credentials);
    if (!channel.ok) return refuse(toConsentRefusal(channel.error));
    return channel.value
      ? ok([channel.value])
      : consentRefusal(
          "no_account",
          `${NO_CHANNEL} Create one at https://www.youtube.com/create_channel, or sign in to Google as another account.`,
        );
  });
  return grant.ok ? ok({ ...grant.value, requested: requestedScopes(scopes, app) }) : grant;
};
