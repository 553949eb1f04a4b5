import { MINUTE, SECOND } from "../../core/time.ts";
import { createConsent, readConsentRequest, refusalPage } from "../kit/consent.tsx";
import { Refusal } from "../kit/refusal.ts";
import type { Call } from "../kit/simulator.ts";

/** Source: LinkedIn, "Authorization Code Flow". */
const CODE_SECONDS = (30 * MINUTE) / SECOND;

/** Scopes of an app with every product. Source: LinkedIn, "Getting Access". */
const SCOPES = [
  "openid",
  "profile",
  "email",
  "w_member_social",
  "r_member_postAnalytics",
  "r_member_profileAnalytics",
  "r_organization_social",
  "w_organization_social",
  "r_organization_admin",
  "rw_organization_admin",
  "r_organization_social_feed",
  "w_organization_social_feed",
];

function requireScopes({ req }: Call): void {
  const { scope = "", redirect_uri = "", state } = req.query();
  const other = scope.split(" ").find((one) => one && !SCOPES.includes(one));
  if (other === undefined || !URL.canParse(redirect_uri)) return;
  const back = new URL(redirect_uri);
  back.searchParams.set("error", "unauthorized_scope_error");
  back.searchParams.set(
    "error_description",
    `Scope &quot;${other}&quot; is not authorized for your application`,
  );
  if (state !== undefined) back.searchParams.set("state", state);
  throw new Refusal(302, null, { location: back.href });
}

export const consent = createConsent({
  platform: "linkedin",
  name: "LinkedIn",
  codeSeconds: CODE_SECONDS,
  hint: "LinkedIn itself grants all or nothing. Leave one out to see what that leads to. The member administers two pages.",
  readConsentRequest: (call) => {
    requireScopes(call);
    return readConsentRequest(call, {
      separator: " ",
      scopes: SCOPES,
      refuse: (message) => refusalPage(400, `Bummer, something went wrong. ${message}`),
    });
  },
  declined: {
    error: "user_cancelled_authorize",
    error_description: "The user cancelled the authorization",
  },
});
