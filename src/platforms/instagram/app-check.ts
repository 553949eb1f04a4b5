import type { AppCheck } from "../login.ts";

/**
 * Instagram cannot check an app's keys: only the first connected account proves them.
 * @see https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/business-login
 */
export async function checkApp(): Promise<AppCheck> {
  return {
    verdict: "unknown",
    message: "Instagram has no way to check an app. Connect an account: that proves its keys.",
  };
}
