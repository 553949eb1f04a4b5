import { takeCodeOf } from "../kit/codes.ts";
import { createConsent, readConsentRequest, refusalPage } from "../kit/consent.tsx";
import { OTHER_REDIRECT } from "../meta/codes.ts";
import { type GraphCall, graphError } from "../meta/graph.ts";
import { CODE_SECONDS, exchangeToken, loginsOf, SHORT_SECONDS } from "./tokens.ts";

/** Source: Meta, "Permissions Reference". */
const SCOPES = [
  "public_profile",
  "email",
  "pages_show_list",
  "pages_read_engagement",
  "pages_manage_posts",
  "pages_manage_engagement",
  "pages_manage_metadata",
  "pages_read_user_content",
  "pages_messaging",
  "publish_video",
  "read_insights",
  "business_management",
  "ads_management",
  "ads_read",
  "instagram_basic",
  "instagram_content_publish",
  "instagram_manage_comments",
  "instagram_manage_insights",
];

export const consent = createConsent({
  platform: "facebook",
  name: "Facebook",
  codeSeconds: CODE_SECONDS,
  hint: "Facebook itself lets people leave permissions out. A person has three Pages, one of which they may only read; one with “no page”, “one page” or “portfolio” in their name has none, one, or two of a business.",
  readConsentRequest: (call) =>
    readConsentRequest(call, {
      separator: /[\s,]+/,
      scopes: SCOPES,
      refuse: (message) => refusalPage(400, `Invalid request: ${message}`),
    }),
  declined: {
    error: "access_denied",
    error_code: "200",
    error_description: "Permissions error",
    error_reason: "user_denied",
  },
  suffix: "#_=_",
});

const wrongCode = (message: string, subcode?: number) =>
  graphError(100, message, subcode === undefined ? {} : { subcode });

export function grantToken(call: GraphCall): Response {
  const { params } = call.var;
  if (params.get("grant_type") === "fb_exchange_token" || !params.has("code")) {
    return exchangeToken(call);
  }
  const clientId = params.get("client_id");
  if (!clientId) throw graphError(101, "Missing client_id parameter.");
  if (!params.get("client_secret")) throw graphError(1, "Error validating client secret.");
  const code = takeCodeOf(call, "facebook", params.get("code") ?? null);
  if (code === "unknown") throw wrongCode("Invalid verification code format.");
  if (code === "used") throw wrongCode("This authorization code has been used.", 36_009);
  if (code === "expired") throw wrongCode("This authorization code has expired.", 36_007);
  if (code.client_id !== clientId) {
    throw graphError(101, "Error validating application. Invalid application ID.");
  }
  if (code.redirect_uri !== params.get("redirect_uri")) {
    throw wrongCode(OTHER_REDIRECT, 36_008);
  }
  return Response.json({
    access_token: loginsOf(call).issue(code.name, "short", SHORT_SECONDS),
    token_type: "bearer",
    expires_in: SHORT_SECONDS,
  });
}
