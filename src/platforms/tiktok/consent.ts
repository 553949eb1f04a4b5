import { now } from "../../core/clock.ts";
import { ok, refuse } from "../../core/result.ts";
import { addSeconds } from "../../core/time.ts";
import type { ConsentPage } from "../consent.ts";
import {
  consentRefusal,
  consentUrl,
  explainOAuthError,
  quoted,
  readScopes,
  refusedConsent,
  refusedForScopes,
  requestedScopes,
  toOwnGrant,
} from "../kit/consents.ts";
import { formRequest } from "../kit/logins.ts";
import { identify, readTokens, TOKEN_ENDPOINT, toClient } from "./auth.ts";
import { scopes } from "./capabilities.ts";
import { isTemporary } from "./failures.ts";

/**
 * Web apps use no PKCE. `disable_auto_auth` lets people choose another account.
 * @see https://developers.tiktok.com/doc/login-kit-web
 */
export const begin: ConsentPage["begin"] = async (_fetch, { state, redirectUri }, app) =>
  ok({
    url: consentUrl("https://www.tiktok.com/v2/auth/authorize/", {
      client_key: app.clientId,
      response_type: "code",
      scope: requestedScopes(scopes, app).join(","),
      redirect_uri: redirectUri,
      state,
      disable_auto_auth: "1",
    }),
  });

const ERROR_TYPES = new Map([
  [
    "non_sandbox_target",
    "This instance's app is a sandbox of TikTok's, and the account is none of its target users. The app's owner has to add it in TikTok's developer portal.",
  ],
  [
    "client_key",
    "TikTok does not let this instance's app connect accounts. Its owner has to add Login Kit to the app, with this instance's redirect address, and check TIKTOK_CLIENT_ID.",
  ],
]);

/** @see https://developers.tiktok.com/doc/oauth-user-access-token-management */
export const finish: ConsentPage["finish"] = async (fetch, { query, redirectUri }, app) => {
  const trouble = ERROR_TYPES.get(query.get("error_type") ?? "");
  if (trouble) return consentRefusal("refused", trouble);
  if (query.get("error_type") === "scope") {
    return refuse(refusedForScopes("TikTok", quoted(query.get("error") || "scope")));
  }
  const refused = refusedConsent(query, "TikTok");
  if (refused) return refuse(refused);
  // TikTok refuses a content type with charset.
  const request = formRequest(TOKEN_ENDPOINT, {
    ...toClient(app),
    grant_type: "authorization_code",
    code: query.get("code") ?? "",
    redirect_uri: redirectUri,
  });
  const reply = await readTokens(await fetch(request));
  if (!reply.ok) {
    const { code, message, status } = reply.error;
    return isTemporary(reply.error)
      ? consentRefusal("unavailable", message)
      : refuse(explainOAuthError("TikTok", code ?? `HTTP ${status}`, message, status));
  }
  const { access_token, refresh_token, expires_in, refresh_expires_in, scope } = reply.value;
  const granted = {
    credentials: {
      accessToken: access_token,
      refreshToken: refresh_token,
      expiresAt: addSeconds(now(), expires_in),
      ...(refresh_expires_in ? { refreshEndsAt: addSeconds(now(), refresh_expires_in) } : {}),
    },
    scopes: readScopes(scope ?? query.get("scopes")),
  };
  const grant = await toOwnGrant(granted, scopes, (credentials) => identify(fetch, credentials));
  return grant.ok ? ok({ ...grant.value, requested: requestedScopes(scopes, app) }) : grant;
};
