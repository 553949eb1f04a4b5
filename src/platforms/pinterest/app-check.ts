import type { Fetch } from "../connector.ts";
import { probeApp } from "../kit/app-checks.ts";
import { formRequest } from "../kit/logins.ts";
import type { AppCheck, AppKeys } from "../login.ts";
import { API } from "./api.ts";

/**
 * Pinterest may refuse right keys too, for example without two-factor authentication.
 * @see https://developers.pinterest.com/docs/getting-started/set-up-authentication-and-authorization/
 */
export const checkApp = (fetch: Fetch, app: AppKeys): Promise<AppCheck> =>
  probeApp(fetch, {
    platform: "Pinterest",
    request: formRequest(
      `${API}/oauth/token`,
      { grant_type: "client_credentials", scope: "user_accounts:read" },
      app,
    ),
    isRight: ({ token }) => token !== null,
    isWrong: ({ status }) => status === 401,
    leavesOpen:
      "It does not say whether the redirect URL is registered, or the app has Standard access.",
  });
