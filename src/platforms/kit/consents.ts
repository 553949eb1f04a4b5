import * as oauth from "oauth4webapi";
import * as z from "zod";
import { now } from "../../core/clock.ts";
import type { OtherApp } from "../../core/platforms.ts";
import { ok, type Result, refuse } from "../../core/result.ts";
import { addSeconds } from "../../core/time.ts";
import type { Fetch } from "../connector.ts";
import type {
  ConsentFailure,
  ConsentPage,
  ConsentRefusal,
  ConsentReturn,
  ConsentScopes,
  Grant,
} from "../consent.ts";
import type { AppKeys, Connected, Credentials, LoginRefusal } from "../login.ts";
import { isUnknownApp, slugOf, toConsentRefusal, unknownApp } from "./logins.ts";
import { oneLine, parseJson, readText } from "./replies.ts";
import { maybeText } from "./shapes.ts";

const MAX_WORDING = 200;
const MAX_REPLY_BYTES = 64 * 1_024;

export const consentRefusal = (failure: ConsentFailure, message: string) =>
  refuse<ConsentRefusal>({ failure, message });

export function consentUrl(page: string, params: Record<string, string>): string {
  const url = new URL(page);
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  // Some platforms do not read a plus as a space.
  return url.href.replaceAll("+", "%20");
}

/** The base64url S256 challenge. Source: RFC 7636, 4.2. */
export const challengeOf = (verifier: string): Promise<string> =>
  oauth.calculatePKCECodeChallenge(verifier);

/**
 * @param toOwn returns the scopes and the platform's own parameters
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-4.1.1
 */
export const standardBegin =
  (
    page: string,
    toOwn: (app: AppKeys) => Record<string, string>,
    { hasPkce = false } = {},
  ): ConsentPage["begin"] =>
  async (_fetch, { state, redirectUri, verifier }, app) =>
    ok({
      url: consentUrl(page, {
        response_type: "code",
        client_id: app.clientId,
        redirect_uri: redirectUri,
        ...toOwn(app),
        state,
        ...(hasPkce
          ? { code_challenge: await challengeOf(verifier), code_challenge_method: "S256" }
          : {}),
      }),
    });

export const requestedScopes = (
  { required, optional, usual = optional }: ConsentScopes,
  { scopes }: Pick<AppKeys, "scopes">,
): string[] => [...required, ...optional.filter((scope) => (scopes ?? usual).includes(scope))];

export const readScopes = (text: string | null | undefined): string[] | null =>
  typeof text === "string" ? text.split(/[\s,]+/).filter(Boolean) : null;

export const quoted = (words: string): string => oneLine(words, MAX_WORDING).replace(/\.$/, "");

/** Source: RFC 6749, 4.1.2.1. */
const DECLINED = new Set(["access_denied", "user_cancelled_login", "user_cancelled_authorize"]);
const ABSENT = new Set(["server_error", "temporarily_unavailable"]);

export function refusedConsent(query: URLSearchParams, platform: string): ConsentRefusal | null {
  const error = query.get("error");
  if (error === null) {
    return query.get("code")
      ? null
      : { failure: "refused", message: `${platform} sent you back without an answer. Try again.` };
  }
  if (DECLINED.has(error)) {
    return {
      failure: "declined",
      message: `${platform} was not allowed to connect the account. Nothing was connected.`,
    };
  }
  const wording = quoted(query.get("error_description") || query.get("error_message") || error);
  if (isScopeRefusal(error, wording)) return refusedForScopes(platform, wording);
  return ABSENT.has(error)
    ? { failure: "unavailable", message: `${platform} has a problem: ${wording}. Try again later.` }
    : { failure: "refused", message: `${platform} refused: ${wording}.` };
}

/** The second code is LinkedIn's. Source: RFC 6749, 4.1.2.1. */
const SCOPE_REFUSED = new Set(["invalid_scope", "unauthorized_scope_error"]);
/** Meta has no code for it. */
const ABOUT_SCOPES = /\binvalid[ _](?:scopes?|permissions?)\b/i;

export const isScopeRefusal = (code: string | null, wording: string): boolean =>
  (code !== null && SCOPE_REFUSED.has(code)) || ABOUT_SCOPES.test(wording);

export const refusedForScopes = (platform: string, wording: string): ConsentRefusal => ({
  failure: "refused",
  message: `${platform} does not let this instance's app ask for these permissions: ${wording}. Its owner has to add the missing one to the app, in the step with the scopes at /app/setup/${slugOf(platform)}, or to set APP_SCOPES to the optional permissions that the app has.`,
});

export interface TokenServer {
  platform: string;
  /** An `iss` in the callback must equal this value. */
  issuer: string;
  tokenEndpoint: string;
  clientAuth: "basic" | "body";
  /** False where the platform refuses a PKCE verifier. */
  hasPkce: boolean;
  extraFields?: Record<string, string>;
  /** Absent where refusals follow the OAuth standard. */
  readError?(body: unknown, status: number): TokenError;
}

export interface TokenError {
  code: string | null;
  message: string | null;
}

const standardError = z.object({ error: maybeText, error_description: maybeText });

function readStandardError(body: unknown): TokenError {
  const { error = null, error_description = null } = standardError.safeParse(body).data ?? {};
  return { code: error, message: error_description };
}

interface GrantedLogin {
  credentials: Credentials;
  scopes: string[] | null;
  reply: oauth.TokenEndpointResponse;
}

/** The standard demands percent-encoded keys; platforms do not decode them. */
const plainBasic =
  ({ clientId, clientSecret }: AppKeys): oauth.ClientAuth =>
  (_as, _client, _body, headers) => {
    headers.set("authorization", `Basic ${btoa(`${clientId}:${clientSecret}`)}`);
  };

/** @see https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3 */
export async function exchangeCode(
  fetch: Fetch,
  server: TokenServer,
  { query, state, redirectUri, verifier }: ConsentReturn,
  app: AppKeys,
): Promise<Result<GrantedLogin, ConsentRefusal>> {
  const { platform, issuer, tokenEndpoint, clientAuth, hasPkce, extraFields = {} } = server;
  const refused = refusedConsent(query, platform);
  if (refused) return refuse(refused);
  const as: oauth.AuthorizationServer = { issuer, token_endpoint: tokenEndpoint };
  const client: oauth.Client = { client_id: app.clientId };
  try {
    const reply = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      clientAuth === "basic" ? plainBasic(app) : oauth.ClientSecretPost(app.clientSecret),
      oauth.validateAuthResponse(as, client, query, state),
      redirectUri,
      hasPkce ? verifier : oauth.nopkce,
      {
        [oauth.customFetch]: (url, init) => fetch(url, init as RequestInit),
        additionalParameters: extraFields,
      },
    );
    if (!reply.ok) return refuse(await explainReply(server, reply, app));
    const tokens = oauth.processAuthorizationCodeResponse(as, client, await asStandard(reply));
    return ok(toGrantedLogin(await tokens));
  } catch (error) {
    return refuse(explain(platform, error));
  }
}

/**
 * Adds `token_type`, which some platforms omit, and drops empty fields except `scope`, where empty means that nothing
 * was granted. Drops `id_token`, because another call reads the person.
 */
async function asStandard(reply: Response): Promise<Response> {
  const body = parseJson(await readText(reply, MAX_REPLY_BYTES));
  if (!body || typeof body !== "object") return Response.json(null);
  const fields = Object.entries(body).filter(
    ([name, value]) => name !== "id_token" && value !== null && (value !== "" || name === "scope"),
  );
  return Response.json({ token_type: "bearer", ...Object.fromEntries(fields) });
}

async function explainReply(
  { platform, readError = readStandardError }: TokenServer,
  reply: Response,
  { other }: AppKeys,
): Promise<ConsentRefusal> {
  const { status } = reply;
  const body = parseJson(await readText(reply, MAX_REPLY_BYTES));
  const { code, message } = readError(body, status);
  return explainOAuthError(platform, code ?? `HTTP ${status}`, message ?? undefined, status, other);
}

function toGrantedLogin(reply: oauth.TokenEndpointResponse): GrantedLogin {
  const { access_token, refresh_token, expires_in, scope } = reply;
  const refreshLife = Number(reply.refresh_token_expires_in);
  return {
    credentials: {
      accessToken: access_token,
      refreshToken: refresh_token ?? null,
      expiresAt: expires_in ? addSeconds(now(), expires_in) : null,
      ...(refresh_token && refreshLife > 0
        ? { refreshEndsAt: addSeconds(now(), refreshLife) }
        : {}),
    },
    scopes: readScopes(scope),
    reply,
  };
}

/** Looks up no accounts without the required permissions, which the lookup may need. */
export async function toGrant(
  { credentials, scopes }: Pick<GrantedLogin, "credentials" | "scopes">,
  { required }: ConsentScopes,
  find: (credentials: Credentials) => Promise<Result<Connected[], ConsentRefusal>>,
): Promise<Result<Grant, ConsentRefusal>> {
  if (scopes && required.some((scope) => !scopes.includes(scope))) {
    return ok({ accounts: [], scopes });
  }
  const accounts = await find(credentials);
  return accounts.ok ? ok({ accounts: accounts.value, scopes }) : accounts;
}

export const toOwnGrant = (
  granted: Pick<GrantedLogin, "credentials" | "scopes">,
  scopes: ConsentScopes,
  identify: (credentials: Credentials) => Promise<Result<Connected, LoginRefusal>>,
): Promise<Result<Grant, ConsentRefusal>> =>
  toGrant(granted, scopes, async (credentials) => {
    const connected = await identify(credentials);
    return connected.ok ? ok([connected.value]) : refuse(toConsentRefusal(connected.error));
  });

export const standardFinish =
  (
    server: TokenServer,
    scopes: ConsentScopes,
    identify: (fetch: Fetch, credentials: Credentials) => Promise<Result<Connected, LoginRefusal>>,
  ): ConsentPage["finish"] =>
  async (fetch, back, app) => {
    const granted = await exchangeCode(fetch, server, back, app);
    if (!granted.ok) return granted;
    return toOwnGrant(granted.value, scopes, (credentials) => identify(fetch, credentials));
  };

export function explain(platform: string, error: unknown): ConsentRefusal {
  if (error instanceof oauth.ResponseBodyError) {
    return explainOAuthError(platform, error.error, error.error_description, error.status);
  }
  if (error instanceof oauth.OperationProcessingError) {
    const { cause } = error;
    if (cause instanceof Response && !cause.ok) {
      return explainOAuthError(platform, `HTTP ${cause.status}`, undefined, cause.status);
    }
    return {
      failure: "refused",
      message: `${platform} gave an answer that cannot be read. Try again.`,
    };
  }
  if (error instanceof oauth.UnsupportedOperationError) {
    return {
      failure: "refused",
      message: `${platform} gave an answer of a kind that was not asked for. Nothing was connected: try again.`,
    };
  }
  return { failure: "unavailable", message: `${platform} could not be reached. Try again later.` };
}

/** Source: RFC 6749, 5.2. */
export function explainOAuthError(
  platform: string,
  code: string,
  description: string | undefined,
  status: number,
  other?: OtherApp,
): ConsentRefusal {
  const wording = quoted(description || code);
  if (status >= 500 || status === 429 || ABSENT.has(code)) {
    return {
      failure: "unavailable",
      message: `${platform} has a problem: ${wording}. Try again later.`,
    };
  }
  if (isScopeRefusal(code, wording)) return refusedForScopes(platform, wording);
  if (isUnknownApp(code))
    return { failure: "refused", message: unknownApp(platform, wording, other) };
  return {
    failure: "refused",
    message: `${platform} refused: ${wording}. Connect the account again.`,
  };
}
