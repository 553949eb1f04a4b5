import type { Fetch } from "../fetch.ts";
import { clientGrant, probeApp } from "../kit/app-checks.ts";
import { formRequest } from "../kit/logins.ts";
import type { AppKeys } from "../login.ts";
import { UNKNOWN_APP_CODES } from "./failures.ts";

/** The secret is sent in the body, because URLs end up in logs. */
export const probeGraphApp = (fetch: Fetch, app: AppKeys, platform: string, endpoint: string) =>
  probeApp(fetch, {
    platform,
    request: formRequest(endpoint, clientGrant(app)),
    isRight: ({ token }) => token !== null,
    isWrong: ({ status, error, wording }) =>
      status >= 400 &&
      (UNKNOWN_APP_CODES.has(Number(error)) || /client[ _]secret|application/i.test(wording)),
    leavesOpen: "It does not say whether the redirect URL is registered.",
  });
