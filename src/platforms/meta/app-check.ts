import type { Fetch } from "../fetch.ts";
import { clientGrant, probeApp } from "../kit/app-checks.ts";
import { formRequest } from "../kit/logins.ts";
import type { AppKeys } from "../login.ts";
import { UNKNOWN_APP_CODES } from "./failures.ts";

interface GraphApp {
  /** The platform's name as people know it. */
  platform: string;
  endpoint: string;
  app: AppKeys;
}

/** Asks one of Meta's platforms for a token of the app itself. The secret goes in the body, not the address. */
export const probeGraphApp = (fetch: Fetch, { platform, endpoint, app }: GraphApp) =>
  probeApp(fetch, {
    platform,
    request: formRequest(endpoint, clientGrant(app)),
    isRight: ({ token }) => token !== null,
    isWrong: ({ status, error, said }) =>
      status >= 400 &&
      (UNKNOWN_APP_CODES.has(Number(error)) || /client[ _]secret|application/i.test(said)),
    leavesOpen: "It does not say whether the redirect URL is registered.",
  });
