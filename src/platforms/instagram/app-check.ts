import type { AppCheck } from "../login.ts";

/**
 * Asks nothing: Instagram grants no token to an app itself, and judges a code before the secret, as clients
 * report. The first account that is connected proves the keys.
 *
 * @see https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/business-login
 */
export async function checkApp(): Promise<AppCheck> {
  return {
    verdict: "unknown",
    message: "Instagram has no way to check an app. Connect an account: that proves its keys.",
  };
}
