import type { Fetch } from "../connector.ts";
import type { AppCheck, AppKeys } from "../login.ts";
import { probeGraphApp } from "../meta/app-check.ts";

/** @see https://developers.facebook.com/docs/facebook-login/guides/access-tokens#apptokens */
export const checkApp = (fetch: Fetch, app: AppKeys): Promise<AppCheck> =>
  probeGraphApp(fetch, {
    platform: "Facebook",
    endpoint: "https://graph.facebook.com/oauth/access_token",
    app,
  });
