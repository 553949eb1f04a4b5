import { createConsent, readConsentRequest, refusalPage } from "../kit/consent.tsx";
import { findApp } from "./apps.ts";
import { SCOPES } from "./scopes.ts";

const refuse = (message: string) => refusalPage(400, message);

export const consent = createConsent({
  platform: "mastodon",
  name: "Mastodon",
  codeSeconds: 600,
  hint: "A real server grants all or nothing. Leave one out to see what that leads to.",
  readConsentRequest: (call) => {
    const request = readConsentRequest(call, {
      separator: " ",
      scopes: SCOPES,
      pkce: "optional",
      refuse,
    });
    const app = findApp(call, request.clientId);
    if (!app) {
      throw refuse(
        "Client authentication failed due to unknown client, no client authentication included, or unsupported authentication method.",
      );
    }
    if (app.redirect_uri !== request.redirectUri) {
      throw refuse("The redirect uri included is not valid.");
    }
    if (request.scopes.some((scope) => !app.scopes.includes(scope))) {
      throw refuse("The requested scope is invalid, unknown, or malformed.");
    }
    return request;
  },
  declined: {
    error: "access_denied",
    error_description: "The resource owner or authorization server denied the request.",
  },
});
