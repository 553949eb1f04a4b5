import type { AppCheck } from "../login.ts";

/**
 * Instagram gives an app no token of its own and, according to other clients, checks a code before the secret. Only the
 * first connected account proves the keys.
 * @see
 * https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/business-login
 */
export async function checkApp(): Promise<AppCheck> {
  return {
    verdict: "unknown",
    message: "Instagram has no way to check an app. Connect an account: that proves its keys.",
  };
}
