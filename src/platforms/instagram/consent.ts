import { ok } from "../../core/result.ts";
import type { ConsentPage } from "../consent.ts";
import { requestedScopes, standardBegin } from "../kit/consents.ts";
import { exchangeMetaCode } from "../meta/consent.ts";
import { exchangeCodeRequest } from "./api.ts";
import { connectLasting } from "./auth.ts";
import { scopes } from "./capabilities.ts";

/**
 * Only a new sign-in lets people choose another account.
 * @see https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/business-login
 */
export const begin = standardBegin("https://www.instagram.com/oauth/authorize", (app) => ({
  scope: requestedScopes(scopes, app).join(","),
  force_reauth: "true",
  // A login through Facebook would give another server's token.
  enable_fb_login: "false",
}));

export const finish: ConsentPage["finish"] = async (fetch, back, app) => {
  const granted = await exchangeMetaCode(fetch, "Instagram", exchangeCodeRequest, back, app);
  if (!granted.ok) return granted;
  const connected = await connectLasting(fetch, granted.value.accessToken, app);
  if (!connected.ok) return connected;
  const requested = requestedScopes(scopes, app);
  return ok({ accounts: [connected.value], scopes: granted.value.scopes, requested });
};
