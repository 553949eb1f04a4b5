import { MINUTE, SECOND } from "../../core/time.ts";
import { createConsent, readConsentRequest, refusalPage } from "../kit/consent.tsx";
import { Refusal } from "../kit/refusal.ts";
import type { Call } from "../kit/simulator.ts";
import { scopesOfApp } from "./apps.ts";

/** Source: LinkedIn, "Authorization Code Flow". */
const CODE_SECONDS = (30 * MINUTE) / SECOND;

function requireScopes({ req }: Call): void {
  const { scope = "", client_id = "", redirect_uri = "", state } = req.query();
  const allowed = scopesOfApp(client_id);
  const other = scope.split(" ").find((one) => one && !allowed.includes(one));
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
      scopes: scopesOfApp(call.req.query("client_id") ?? ""),
      refuse: (message) => refusalPage(400, `Bummer, something went wrong. ${message}`),
    });
  },
  declined: {
    error: "user_cancelled_authorize",
    error_description: "The user cancelled the authorization",
  },
});
