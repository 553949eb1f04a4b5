import * as oauth from "oauth4webapi";
import { now } from "../../core/clock.ts";
import { ok, refuse } from "../../core/result.ts";
import { addSeconds, DAY, SECOND } from "../../core/time.ts";
import type { Connector, Fetch } from "../connector.ts";
import type { ConsentRefusal } from "../consent.ts";
import { explain, explainOAuthError, quoted } from "../kit/consents.ts";
import { finalRefusal, notRenewable } from "../kit/logins.ts";
import type { AppKeys, Credentials } from "../login.ts";
import { readBody } from "./api.ts";
import {
  CLOCK_SKEW_SECONDS,
  importPrivateKey,
  keepingNonces,
  NonceMissing,
  proofsOf,
  requiringNonces,
  withNonce,
} from "./dpop.ts";

export interface Session {
  issuer: string;
  tokenEndpoint: string;
  revocationEndpoint: string;
  clientId: string;
  /** Empty for a client without key. */
  keyId: string;
  dpopKey: string;
  /** ISO date of the consent. Empty for logins of earlier versions. */
  startedAt?: string;
}

const sessionOf = ({ extra = {} }: Credentials): Session => ({
  issuer: extra.issuer ?? "",
  tokenEndpoint: extra.tokenEndpoint ?? "",
  revocationEndpoint: extra.revocationEndpoint ?? "",
  clientId: extra.clientId ?? "",
  keyId: extra.keyId ?? "",
  dpopKey: extra.dpopKey ?? "",
  startedAt: extra.startedAt ?? "",
});

/**
 * A login of a client without key ends after this time.
 * @see https://atproto.com/specs/oauth#types-of-clients
 */
const PUBLIC_SESSION_DAYS = 14;
/**
 * An unused refresh token lives 3 months on Bluesky's servers.
 * @see https://github.com/bluesky-social/atproto/blob/main/packages/oauth/oauth-provider/src/constants.ts
 */
const REFRESH_DAYS = 90;
/**
 * A login of a client with a key ends after this time.
 * @see https://github.com/bluesky-social/atproto/blob/main/packages/oauth/oauth-provider/src/constants.ts
 */
const KEYED_SESSION_DAYS = 730;

/** Servers cannot read a loopback client's metadata, so it has no key. */
const isLoopbackClient = (clientId: string): boolean => clientId.startsWith("http://localhost");

export const keyIdOf = (clientId: string, app: AppKeys | null): string =>
  isLoopbackClient(clientId) ? "" : (app?.privateKey?.kid ?? "");

async function bounded(reply: Response): Promise<Response> {
  const body = await readBody(reply);
  const { status, headers } = reply;
  return Response.json(body ?? null, { status, headers });
}

export interface Caller {
  as: oauth.AuthorizationServer;
  client: oauth.Client;
  auth: oauth.ClientAuth;
  options: {
    DPoP: oauth.DPoPHandle;
    [oauth.customFetch]: (url: string, init: object) => Promise<Response>;
  };
}

export async function callerOf(
  fetch: Fetch,
  { issuer, tokenEndpoint, clientId, dpopKey }: Session,
  app: AppKeys | null,
  heeding = requiringNonces,
): Promise<Caller> {
  const key = keyIdOf(clientId, app) === "" ? undefined : app?.privateKey;
  const network = heeding(fetch);
  return {
    as: {
      issuer,
      token_endpoint: tokenEndpoint,
      authorization_response_iss_parameter_supported: true,
    },
    client: { client_id: clientId, [oauth.clockSkew]: CLOCK_SKEW_SECONDS },
    auth: key
      ? oauth.PrivateKeyJwt({ key: await importPrivateKey(key), kid: key.kid })
      : oauth.None(),
    options: {
      DPoP: await proofsOf(dpopKey),
      [oauth.customFetch]: (url, init) => network(url, init as RequestInit).then(bounded),
    },
  };
}

interface Tokens {
  credentials: Credentials;
  did: string | null;
  scopes: string[];
}

interface End {
  refreshEndsAt: Date | null;
  isEndFixed?: true;
  isEndPresumed?: true;
}

/** The earlier of two ends: the refresh token's, and the session's usual one unless it has already passed. */
function keyedEnd({ startedAt }: Session): End {
  const refreshEndsAt = inDays(REFRESH_DAYS);
  if (!startedAt) return { refreshEndsAt };
  const sessionEndsAt = addSeconds(new Date(startedAt), KEYED_SESSION_DAYS * (DAY / SECOND));
  return sessionEndsAt <= refreshEndsAt && sessionEndsAt > now()
    ? { refreshEndsAt: sessionEndsAt, isEndFixed: true, isEndPresumed: true }
    : { refreshEndsAt };
}

function toTokens(reply: oauth.TokenEndpointResponse, session: Session, end: End): Tokens {
  const { access_token, refresh_token = null, expires_in, scope = "", sub } = reply;
  return {
    credentials: {
      accessToken: access_token,
      refreshToken: refresh_token,
      expiresAt: expires_in ? addSeconds(now(), expires_in) : null,
      ...end,
      extra: { ...session },
    },
    did: typeof sub === "string" ? sub : null,
    scopes: scope.split(" ").filter(Boolean),
  };
}

const inDays = (days: number): Date => addSeconds(now(), days * (DAY / SECOND));

/** @throws errors of `oauth4webapi`, which `explainServer` translates */
export async function exchangeCode(
  { as, client, auth, options }: Caller,
  session: Session,
  back: { query: URLSearchParams; state: string; redirectUri: string; verifier: string },
): Promise<Tokens> {
  const { query, state, redirectUri, verifier } = back;
  const callback = oauth.validateAuthResponse(as, client, query, state);
  const reply = await withNonce(async () =>
    oauth.processAuthorizationCodeResponse(
      as,
      client,
      await oauth.authorizationCodeGrantRequest(
        as,
        client,
        auth,
        callback,
        redirectUri,
        verifier,
        options,
      ),
    ),
  );
  const started = { ...session, startedAt: now().toISOString() };
  const publicEnd: End = { refreshEndsAt: inDays(PUBLIC_SESSION_DAYS), isEndFixed: true };
  return toTokens(reply, started, session.keyId ? keyedEnd(started) : publicEnd);
}

const OWNERS_MISTAKES = new Set(["invalid_client", "invalid_client_metadata", "invalid_scope"]);

export function explainServer(error: unknown, clientId: string): ConsentRefusal {
  if (error instanceof NonceMissing) return { failure: "refused", message: error.message };
  if (error instanceof oauth.WWWAuthenticateChallengeError) {
    const { error: code = "invalid_request", error_description } = error.cause[0]?.parameters ?? {};
    return explainOAuthError("Bluesky", code, error_description, error.status);
  }
  if (error instanceof oauth.ResponseBodyError && OWNERS_MISTAKES.has(error.error)) {
    const wording = quoted(error.error_description || error.error);
    return {
      failure: "refused",
      message: `The Bluesky server does not accept this instance: ${wording}. Its owner has to see that ${clientId} can be read from everywhere, and that BLUESKY_KEY has not changed within the last ten minutes.`,
    };
  }
  return explain("Bluesky", error);
}

function refusedKey({ keyId, clientId }: Session, app: AppKeys | null): string | null {
  if (keyId === "" || keyId === keyIdOf(clientId, app)) return null;
  return "BLUESKY_KEY is not the one with which this account was connected, so this login cannot be renewed. Set the old one again, or connect the account again.";
}

/**
 * Using the old refresh token again ends the session.
 * @see https://atproto.com/specs/oauth#token-request-and-refresh
 */
export const refreshGrant: Connector["refresh"] = async (fetch, credentials, account, app) => {
  const { refreshToken, refreshEndsAt = null } = credentials;
  if (!refreshToken) return notRenewable("Bluesky");
  const session = sessionOf(credentials);
  const message = refusedKey(session, app);
  // Not final, because the owner may set the old key again.
  if (message) return refuse({ message, final: false });
  // Rejecting new tokens would end the login, because the old ones are used up.
  const { as, client, auth, options } = await callerOf(fetch, session, app, keepingNonces);
  try {
    const reply = await withNonce(async () =>
      oauth.processRefreshTokenResponse(
        as,
        client,
        await oauth.refreshTokenGrantRequest(as, client, auth, refreshToken, options),
      ),
    );
    const keyId = keyIdOf(session.clientId, app);
    const end: End = keyId ? keyedEnd(session) : { refreshEndsAt, isEndFixed: true };
    const { credentials: renewed, did } = toTokens(reply, { ...session, keyId }, end);
    return did === account.platformAccountId
      ? ok(renewed)
      : finalRefusal("Bluesky renewed the login of another account; connect the account again.");
  } catch (error) {
    const isLost = error instanceof oauth.ResponseBodyError && error.error === "invalid_grant";
    if (isLost) {
      return finalRefusal(`Bluesky ended this login: ${error.error_description ?? error.error}.`);
    }
    return refuse({ message: explainServer(error, session.clientId).message, final: false });
  }
};

/** Sends a DPoP proof, because without it servers answer 200 and revoke nothing. */
export async function revokeGrant(
  fetch: Fetch,
  credentials: Credentials,
  app: AppKeys | null,
): Promise<void> {
  const { refreshToken } = credentials;
  const session = sessionOf(credentials);
  const { revocationEndpoint } = session;
  if (!refreshToken || !revocationEndpoint || refusedKey(session, app)) return;
  const { as, client, auth, options } = await callerOf(fetch, session, app, keepingNonces);
  const send = () =>
    oauth.genericTokenEndpointRequest(
      { ...as, token_endpoint: revocationEndpoint },
      client,
      auth,
      "refresh_token",
      { token: refreshToken },
      options,
    );
  const reply = await send();
  // The second call carries the first answer's nonce.
  if (reply.status === 400) await send();
}
