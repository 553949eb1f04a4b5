import { ok, refuse } from "../../core/result.ts";
import { googleConsent } from "../google/consent.ts";
import { consentRefusal } from "../kit/consents.ts";
import { toConsentRefusal } from "../kit/logins.ts";
import { NAME } from "./api.ts";
import { findLocations } from "./auth.ts";
import { scopes } from "./capabilities.ts";

export const { begin, finish } = googleConsent({
  platform: NAME,
  scopes,
  account: "location",
  find: async (fetch, credentials) => {
    const found = await findLocations(fetch, credentials);
    if (!found.ok) return refuse(toConsentRefusal(found.error));
    const { accounts, none } = found.value;
    return none === null ? ok(accounts) : consentRefusal("no_account", none);
  },
});
