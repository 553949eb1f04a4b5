import { ok, type Result } from "../../core/result.ts";
import type { Fetch } from "../connector.ts";
import type { ConsentPage, ConsentRefusal, ConsentScopes } from "../consent.ts";
import {
  consentRefusal,
  exchangeCode,
  requestedScopes,
  standardBegin,
  type TokenServer,
  toGrant,
} from "../kit/consents.ts";
import type { Connected, Credentials } from "../login.ts";
import { TOKENS } from "./login.ts";

interface GoogleConsent {
  platform: string;
  scopes: ConsentScopes;
  /** What the person connects, such as `channel`. */
  account: string;
  find(fetch: Fetch, credentials: Credentials): Promise<Result<Connected[], ConsentRefusal>>;
}

/**
 * Google sends a refresh token only after `consent`; `select_account` allows another account.
 * @see https://developers.google.com/identity/protocols/oauth2/web-server
 */
export function googleConsent({
  platform,
  scopes,
  account,
  find,
}: GoogleConsent): Pick<ConsentPage, "begin" | "finish"> {
  const server: TokenServer = {
    platform,
    issuer: "https://accounts.google.com",
    tokenEndpoint: `${TOKENS}/token`,
    clientAuth: "body",
    hasPkce: true,
  };
  return {
    begin: standardBegin(
      "https://accounts.google.com/o/oauth2/v2/auth",
      (app) => ({
        scope: requestedScopes(scopes, app).join(" "),
        access_type: "offline",
        prompt: "consent select_account",
      }),
      server,
    ),
    finish: async (fetch, back, app) => {
      const granted = await exchangeCode(fetch, server, back, app);
      if (!granted.ok) return granted;
      if (granted.value.credentials.refreshToken === null) {
        return consentRefusal(
          "refused",
          `Google gave no login that lasts longer than an hour. Remove this app at https://myaccount.google.com/connections, then connect the ${account} again.`,
        );
      }
      const grant = await toGrant(granted.value, scopes, (credentials) => find(fetch, credentials));
      return grant.ok ? ok({ ...grant.value, requested: requestedScopes(scopes, app) }) : grant;
    },
  };
}
