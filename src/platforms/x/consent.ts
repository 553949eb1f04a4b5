import { ok, type Result } from "../../core/result.ts";
import type { Fetch } from "../connector.ts";
import type { Consent, ConsentRefusal, ConsentReturn, ConsentStart, Grant } from "../consent.ts";
import {
  challengeOf,
  consentUrl,
  exchangeCode,
  type TokenServer,
  toOwnGrant,
} from "../kit/consents.ts";
import type { AppKeys } from "../login.ts";
import { API } from "./api.ts";
import { identify } from "./auth.ts";
import { scopes } from "./capabilities.ts";

const SERVER: TokenServer = {
  platform: "X",
  issuer: "https://x.com",
  tokenEndpoint: `${API}/2/oauth2/token`,
  clientAuth: "basic",
  hasPkce: true,
};

/**
 * The way to X's consent page.
 *
 * @see https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code
 */
export async function begin(
  _fetch: Fetch,
  { state, redirectUri, verifier }: ConsentStart,
  { clientId }: AppKeys,
): Promise<Result<Consent, ConsentRefusal>> {
  return ok({
    url: consentUrl("https://x.com/i/oauth2/authorize", {
      response_type: "code",
      client_id: clientId,
      redirect_uri: redirectUri,
      scope: [...scopes.required, ...scopes.optional].join(" "),
      state,
      code_challenge: await challengeOf(verifier),
      code_challenge_method: "S256",
    }),
  });
}

/** Exchanges the code, which lives for 30 seconds, and asks whose tokens they are. */
export async function finish(
  fetch: Fetch,
  back: ConsentReturn,
  app: AppKeys,
): Promise<Result<Grant, ConsentRefusal>> {
  const granted = await exchangeCode(fetch, SERVER, back, app);
  if (!granted.ok) return granted;
  return toOwnGrant(granted.value, scopes, (credentials) => identify(fetch, credentials));
}
