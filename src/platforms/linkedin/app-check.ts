import type { Connector } from "../connector.ts";
import { clientGrant, probeApp } from "../kit/app-checks.ts";
import { formRequest, isUnknownApp } from "../kit/logins.ts";
import { LOGINS } from "./api.ts";

/**
 * LinkedIn answers right keys with "access denied" or a token.
 * @see https://learn.microsoft.com/linkedin/shared/authentication/client-credentials-flow
 */
export const checkApp: Required<Connector>["checkApp"] = (fetch, app) =>
  probeApp(fetch, {
    platform: "LinkedIn",
    other: app.other,
    request: formRequest(`${LOGINS}/accessToken`, clientGrant(app)),
    isRight: ({ token, error }) => token !== null || error === "access_denied",
    isWrong: ({ error }) => isUnknownApp(error),
    leavesOpen: "It does not say whether the redirect URL is registered.",
  });
