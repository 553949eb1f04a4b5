import { ok, type Result } from "../../core/result.ts";
import type { ConsentRefusal, ConsentReturn, Grant } from "../consent.ts";
import type { Fetch } from "../fetch.ts";
import { askedScopes, standardBegin } from "../kit/consents.ts";
import type { AppKeys } from "../login.ts";
import { exchangeMetaCode } from "../meta/consent.ts";
import { exchangeCodeRequest } from "./api.ts";
import { connectLasting } from "./auth.ts";
import { scopes } from "./capabilities.ts";

/**
 * The way to Instagram's consent page. It asks for the account anew: there is no other way to choose
 * between several, and whoever is signed in already may be another client.
 *
 * @see https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/business-login
 */
export const begin = standardBegin("https://www.instagram.com/oauth/authorize", (app) => ({
  scope: askedScopes(scopes, app).join(","),
  force_reauth: "true",
  // Logins by Facebook lead to other tokens, of another server.
  enable_fb_login: "false",
}));

/** Exchanges the code for a token of an hour, that for one of 60 days, and asks whose it is. */
export async function finish(
  fetch: Fetch,
  back: ConsentReturn,
  app: AppKeys,
): Promise<Result<Grant, ConsentRefusal>> {
  const granted = await exchangeMetaCode(fetch, "Instagram", exchangeCodeRequest, back, app);
  if (!granted.ok) return granted;
  const connected = await connectLasting(fetch, granted.value.accessToken, app);
  if (!connected.ok) return connected;
  const asked = askedScopes(scopes, app);
  return ok({ accounts: [connected.value], scopes: granted.value.scopes, asked });
}
