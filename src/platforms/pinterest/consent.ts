import * as z from "zod";
import { ok, type Result } from "../../core/result.ts";
import type { Fetch } from "../connector.ts";
import type { Consent, ConsentRefusal, ConsentReturn, ConsentStart, Grant } from "../consent.ts";
import {
  askedScopes,
  consentUrl,
  exchangeCode,
  type TokenError,
  type TokenServer,
  toOwnGrant,
} from "../kit/consents.ts";
import { maybeText } from "../kit/shapes.ts";
import type { AppKeys } from "../login.ts";
import { API } from "./api.ts";
import { identify } from "./auth.ts";
import { scopes } from "./capabilities.ts";

/** "Authentication failed.": at the token endpoint, that of the app. */
const AUTHENTICATION_FAILED = 2;

const errorBody = z.object({ code: z.number().nullish().catch(null), message: maybeText });

/** Pinterest's logins refuse in the form of its API: a number and a message. */
function readError(body: unknown, status: number): TokenError {
  const { code = null, message = null } = errorBody.safeParse(body).data ?? {};
  const isAboutApp = status === 401 && code === AUTHENTICATION_FAILED;
  return { code: isAboutApp ? "invalid_client" : null, message };
}

/** `continuous_refresh`: older apps get refresh tokens that end for good without it. */
const SERVER: TokenServer = {
  platform: "Pinterest",
  issuer: "https://www.pinterest.com",
  tokenEndpoint: `${API}/oauth/token`,
  clientAuth: "basic",
  hasPkce: false,
  extraFields: { continuous_refresh: "true" },
  readError,
};

/**
 * The way to Pinterest's consent page.
 *
 * @see https://developers.pinterest.com/docs/getting-started/set-up-authentication-and-authorization/
 */
export async function begin(
  _fetch: Fetch,
  { state, redirectUri }: ConsentStart,
  app: AppKeys,
): Promise<Result<Consent, ConsentRefusal>> {
  return ok({
    url: consentUrl("https://www.pinterest.com/oauth/", {
      response_type: "code",
      client_id: app.clientId,
      redirect_uri: redirectUri,
      scope: askedScopes(scopes, app).join(","),
      state,
    }),
  });
}

/** Exchanges the code, and asks whose tokens they are. */
export async function finish(
  fetch: Fetch,
  back: ConsentReturn,
  app: AppKeys,
): Promise<Result<Grant, ConsentRefusal>> {
  const granted = await exchangeCode(fetch, SERVER, back, app);
  if (!granted.ok) return granted;
  return toOwnGrant(granted.value, scopes, (credentials) => identify(fetch, credentials));
}
