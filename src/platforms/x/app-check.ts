import type { Connector } from "../connector.ts";
import { NO_CODE, NO_VERIFIER, probeApp } from "../kit/app-checks.ts";
import { formRequest, isUnknownApp } from "../kit/logins.ts";
import { API } from "./api.ts";

/**
 * Sends an invented code: X checks the app's keys first, according to other programs.
 * @see https://docs.x.com/fundamentals/authentication/oauth-2-0/user-access-token
 */
export const checkApp: Required<Connector>["checkApp"] = (fetch, app, redirectUri) =>
  probeApp(fetch, {
    platform: "X",
    request: formRequest(
      `${API}/2/oauth2/token`,
      {
        grant_type: "authorization_code",
        code: NO_CODE,
        code_verifier: NO_VERIFIER,
        redirect_uri: redirectUri,
        client_id: app.clientId,
      },
      app,
    ),
    isRight: ({ status, error, wording }) =>
      status === 400 &&
      error === "invalid_request" &&
      /authorization code was invalid/i.test(wording),
    isWrong: ({ error }) => isUnknownApp(error),
    leavesOpen: "It does not say whether the redirect URL is registered.",
  });
