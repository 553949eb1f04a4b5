import type { Connector } from "../connector.ts";
import { NO_CODE, probeApp } from "../kit/app-checks.ts";
import { formRequest, isUnknownApp } from "../kit/logins.ts";
import { TOKENS } from "./login.ts";

/**
 * Sends an invented code: Google checks the app's keys first, according to other programs.
 * @see https://developers.google.com/identity/protocols/oauth2/web-server
 */
export const googleAppCheck =
  (platform: string): Required<Connector>["checkApp"] =>
  (fetch, app, redirectUri) =>
    probeApp(fetch, {
      platform,
      request: formRequest(`${TOKENS}/token`, {
        grant_type: "authorization_code",
        code: NO_CODE,
        client_id: app.clientId,
        client_secret: app.clientSecret,
        redirect_uri: redirectUri,
      }),
      isRight: ({ error }) => error === "invalid_grant",
      isWrong: ({ error }) => isUnknownApp(error),
      isUnknownAddress: ({ error }) => error === "redirect_uri_mismatch",
    });
