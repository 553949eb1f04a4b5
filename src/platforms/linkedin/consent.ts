import type { AppName } from "../../core/platforms.ts";
import { ok, type Result, refuse } from "../../core/result.ts";
import type { Fetch } from "../connector.ts";
import type {
  ConsentPage,
  ConsentRefusal,
  ConsentReturn,
  ConsentScopes,
  Grant,
} from "../consent.ts";
import {
  consentRefusal,
  exchangeCode,
  requestedScopes,
  standardBegin,
  type TokenServer,
  toGrant,
} from "../kit/consents.ts";
import { toConsentRefusal, toProfile } from "../kit/logins.ts";
import type { AppKeys, Connected, Credentials, LoginRefusal } from "../login.ts";
import { LOGINS } from "./api.ts";
import { identifyPerson, withFixedEnd } from "./auth.ts";
import { PAGE_SCOPES, scopes } from "./capabilities.ts";
import { isTemporary } from "./failures.ts";
import { publishablePages } from "./pages.ts";
import { organizationUrn } from "./urn.ts";

/** No PKCE: LinkedIn refuses a verifier with the error for a wrong secret. */
const SERVER: TokenServer = {
  platform: "LinkedIn",
  issuer: "https://www.linkedin.com/oauth",
  tokenEndpoint: `${LOGINS}/accessToken`,
  clientAuth: "body",
  hasPkce: false,
};

const requestedOf = (app: AppKeys): string[] => requestedScopes(scopes, app);

/**
 * All members grant the same scopes, because other scopes would end a member's earlier logins.
 * @see https://learn.microsoft.com/linkedin/shared/authentication/authorization-code-flow
 */
export const beginWith = (toScopes: (app: AppKeys) => string[]): ConsentPage["begin"] =>
  standardBegin(`${LOGINS}/authorization`, (app) => ({ scope: toScopes(app).join(" ") }));

export const begin = beginWith(requestedOf);

/** The app lacks the scope's LinkedIn product. */
const SCOPE_REFUSED = "unauthorized_scope_error";

export function refusedScope({ query }: Pick<ConsentReturn, "query">): string | null {
  if (query.get("error") !== SCOPE_REFUSED) return null;
  const words = query.get("error_description") ?? "";
  return /Scope (?:"|&quot;)(\w+)/i.exec(words)?.[1] ?? "";
}

interface RefusedApp {
  /** The variable of the app's id. */
  variable: string;
  app: AppName;
  required: readonly string[];
  /** The app was asked for optional scopes too. */
  hasOptional: boolean;
  /** What the owner does when a required scope is missing. */
  mend: string;
}

export function refuseScope(
  scope: string,
  { variable, app, required, hasOptional, mend }: RefusedApp,
): Result<never, ConsentRefusal> {
  const isRequired = required.includes(scope);
  const what = scope ? `the permission ${scope}` : "these permissions";
  const sentences = [
    `LinkedIn does not let the app of ${variable} ask for ${what}.`,
    ...(isRequired || !scope ? [mend] : []),
    ...(!isRequired && (scope || hasOptional)
      ? [
          `Its owner has to list in APP_SCOPES, under "${app}", only optional permissions that the app's products have.`,
        ]
      : []),
  ];
  return consentRefusal("refused", sentences.join(" "));
}

export const finish: ConsentPage["finish"] = async (fetch, back, app) => {
  const requested = requestedOf(app);
  const scope = refusedScope(back);
  if (scope !== null) {
    return refuseScope(scope, {
      variable: "LINKEDIN_CLIENT_ID",
      app: "linkedin",
      required: scopes.required,
      hasOptional: requested.length > scopes.required.length,
      mend: "Its owner has to add the products Sign In with LinkedIn using OpenID Connect and Share on LinkedIn to the app. An app with the Community Management API cannot have them: its keys are LINKEDIN_PAGES_CLIENT_ID and LINKEDIN_PAGES_CLIENT_SECRET.",
    });
  }
  return finishWith(fetch, back, app, { scopes, requested, identify: identifyPerson });
};

interface Rules {
  scopes: ConsentScopes;
  requested: string[];
  identify(fetch: Fetch, credentials: Credentials): Promise<Result<Connected, LoginRefusal>>;
}

export async function finishWith(
  fetch: Fetch,
  back: ConsentReturn,
  app: AppKeys,
  { scopes, requested, identify }: Rules,
): Promise<Result<Grant, ConsentRefusal>> {
  const granted = await exchangeCode(fetch, SERVER, back, app);
  if (!granted.ok) return granted;
  const has = granted.value.scopes ?? requested;
  const hasPages = PAGE_SCOPES.every((scope) => has.includes(scope));
  const grant = await toGrant(granted.value, scopes, async (credentials) => {
    const lasting = withFixedEnd(credentials);
    const person = await identify(fetch, lasting);
    if (!person.ok) return refuse(toConsentRefusal(person.error));
    return hasPages ? withPages(fetch, person.value) : ok([person.value]);
  });
  return grant.ok ? ok({ ...grant.value, requested }) : grant;
}

/** When LinkedIn permanently refuses to list the pages, only the member is connected. */
async function withPages(
  fetch: Fetch,
  person: Connected,
): Promise<Result<Connected[], ConsentRefusal>> {
  const { credentials, profile } = person;
  const pages = await publishablePages(fetch, credentials.accessToken);
  if (!pages.ok) {
    const { message } = pages.error;
    return isTemporary(pages.error)
      ? consentRefusal("unavailable", `LinkedIn could not name your pages: ${message}`)
      : ok([person]);
  }
  const userId = profile.platformAccountId;
  const connected = pages.value.map(({ id, name, handle }) => ({
    profile: toProfile({ id: organizationUrn(id), userId, name, handle }),
    credentials,
  }));
  return ok([person, ...connected]);
}
