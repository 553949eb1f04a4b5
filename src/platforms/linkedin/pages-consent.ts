import type { ConsentPage } from "../consent.ts";
import { requestedScopes } from "../kit/consents.ts";
import type { AppKeys } from "../login.ts";
import { identifyMember } from "./auth.ts";
import { PAGES_APP, pagesScopes } from "./capabilities.ts";
import { beginWith, finishWith, refusedScope, refuseScope } from "./consent.ts";

const requestedOf = (app: AppKeys): string[] => requestedScopes(pagesScopes, app);

export const begin = beginWith(requestedOf);

export const finish: ConsentPage["finish"] = async (fetch, back, app) => {
  const scope = refusedScope(back);
  if (scope !== null) {
    return refuseScope(scope, {
      variable: "LINKEDIN_PAGES_CLIENT_ID",
      app: PAGES_APP,
      required: pagesScopes.required,
      hasOptional: requestedOf(app).length > pagesScopes.required.length,
      mend: "Its owner has to give the app the Community Management API, as its only product. The keys of an app with Sign In with LinkedIn are LINKEDIN_CLIENT_ID and LINKEDIN_CLIENT_SECRET.",
    });
  }
  return finishWith(fetch, back, app, {
    scopes: pagesScopes,
    requested: requestedOf(app),
    identify: identifyMember,
  });
};
