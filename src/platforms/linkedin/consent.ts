import { ok, type Result, refuse } from "../../core/result.ts";
import type { Fetch } from "../connector.ts";
import type { ConsentPage, ConsentRefusal } from "../consent.ts";
import {
  consentRefusal,
  exchangeCode,
  requestedScopes,
  standardBegin,
  type TokenServer,
  toGrant,
} from "../kit/consents.ts";
import { toConsentRefusal, toProfile } from "../kit/logins.ts";
import type { AppKeys, Connected, Credentials } from "../login.ts";
import { LOGINS } from "./api.ts";
import { identifyPerson, withFixedEnd } from "./auth.ts";
import { PAGE_SCOPES, scopes } from "./capabilities.ts";
import { isTemporary } from "./failures.ts";
import { publishablePages } from "./pages.ts";
import { organizationUrn } from "./urn.ts";

/** PKCE is off: LinkedIn refuses a verifier with the error for a wrong secret. */
const SERVER: TokenServer = {
  platform: "LinkedIn",
  issuer: "https://www.linkedin.com/oauth",
  tokenEndpoint: `${LOGINS}/accessToken`,
  clientAuth: "body",
  hasPkce: false,
};

/** Page scopes are requested only if the owner lists them: LinkedIn refuses the request when the app lacks one. */
const requestedOf = (app: AppKeys): string[] => requestedScopes(scopes, app, []);

/**
 * Asks all members for the same scopes, because other scopes would end a member's earlier logins.
 * @see https://learn.microsoft.com/linkedin/shared/authentication/authorization-code-flow
 */
export const begin = standardBegin(`${LOGINS}/authorization`, (app) => ({
  scope: requestedOf(app).join(" "),
}));

/** The app lacks the LinkedIn product of the scope. */
const SCOPE_REFUSED = "unauthorized_scope_error";

export const finish: ConsentPage["finish"] = async (fetch, back, app) => {
  if (back.query.get("error") === SCOPE_REFUSED) {
    return consentRefusal(
      "refused",
      "LinkedIn does not let this instance's app ask for these permissions. Its owner has to add the products Sign In with LinkedIn and Share on LinkedIn to the app, and for pages the Community Management API; without the last, pages must not be listed in APP_SCOPES.",
    );
  }
  const granted = await exchangeCode(fetch, SERVER, back, app);
  if (!granted.ok) return granted;
  const requested = requestedOf(app);
  const has = granted.value.scopes ?? requested;
  const hasPages = PAGE_SCOPES.every((scope) => has.includes(scope));
  const grant = await toGrant(granted.value, scopes, (credentials) =>
    findAccounts(fetch, withFixedEnd(credentials), hasPages),
  );
  return grant.ok ? ok({ ...grant.value, requested }) : grant;
};

/** When LinkedIn permanently refuses to list the pages, only the member is connected. */
async function findAccounts(
  fetch: Fetch,
  credentials: Credentials,
  hasPages: boolean,
): Promise<Result<Connected[], ConsentRefusal>> {
  const person = await identifyPerson(fetch, credentials);
  if (!person.ok) return refuse(toConsentRefusal(person.error));
  if (!hasPages) return ok([person.value]);
  const pages = await publishablePages(fetch, credentials.accessToken);
  if (!pages.ok) {
    const { message } = pages.error;
    return isTemporary(pages.error)
      ? consentRefusal("unavailable", `LinkedIn could not name your pages: ${message}`)
      : ok([person.value]);
  }
  const userId = person.value.profile.platformAccountId;
  const connected = pages.value.map(({ id, name, handle }) => ({
    profile: toProfile({ id: organizationUrn(id), userId, name, handle }),
    credentials,
  }));
  return ok([person.value, ...connected]);
}
