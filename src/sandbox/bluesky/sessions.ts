import * as z from "zod";
import { now } from "../../core/clock.ts";
import { randomHex } from "../../core/ids.ts";
import { addSeconds, DAY, HOUR, SECOND } from "../../core/time.ts";
import type { SandboxStore } from "../kit/store.ts";
import {
  didOf,
  displayNameOf,
  isSimulatedHandle,
  SANDBOX_APP_PASSWORD,
  SANDBOX_SERVICE,
} from "./identity.ts";
import {
  invalidRequest,
  readInput,
  requireNoBody,
  requireParam,
  type XrpcCall,
  XrpcError,
} from "./xrpc.ts";

export const BLUESKY_SCHEMA = `
CREATE TABLE IF NOT EXISTS bluesky_accounts (
  did TEXT PRIMARY KEY,
  handle TEXT NOT NULL UNIQUE,
  app_password TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS bluesky_tokens (
  token TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  did TEXT NOT NULL,
  session_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  revoked INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS bluesky_tokens_by_expiry ON bluesky_tokens (expires_at);
CREATE TABLE IF NOT EXISTS bluesky_service_tokens (
  token TEXT PRIMARY KEY,
  did TEXT NOT NULL,
  audience TEXT NOT NULL,
  method TEXT,
  expires_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS bluesky_service_tokens_by_expiry ON bluesky_service_tokens (expires_at);
`;

/** Lifetimes. Source: platform notes, "App password". */
const ACCESS_MS = 2 * HOUR;
const REFRESH_MS = 90 * DAY;
/** How long a rotated refresh token still works, for a client that lost the answer. */
const GRACE_MS = 2 * HOUR;
/** How long an expired token is remembered, so that it is told from one that never was. */
const REMEMBERED_MS = 90 * DAY;
/** The longest life of a service token. */
const SERVICE_AUTH_SECONDS = 3_600;

/** The simulated server's own DID. */
export const SANDBOX_SERVICE_DID = `did:web:${new URL(SANDBOX_SERVICE).host}`;

export interface Account {
  did: string;
  handle: string;
}

type TokenKind = "access" | "refresh";
type TokenRow = {
  kind: TokenKind;
  did: string;
  session_id: string;
  expires_at: number;
  revoked: number;
};

const seconds = (ms: number): number => Math.floor(ms / SECOND);

const base64Url = (bytes: Uint8Array): string =>
  bytes.toBase64({ alphabet: "base64url", omitPadding: true });

/** Reads like a JWT; nobody verifies its signature, the state knows its tokens by heart. */
function createToken(typ: string, payload: Record<string, string | number>): string {
  const part = (value: unknown) => base64Url(new TextEncoder().encode(JSON.stringify(value)));
  const signature = base64Url(crypto.getRandomValues(new Uint8Array(32)));
  return `${part({ typ, alg: "HS256" })}.${part(payload)}.${signature}`;
}

const didDocument = ({ did, handle }: Account) => ({
  "@context": ["https://www.w3.org/ns/did/v1"],
  id: did,
  alsoKnownAs: [`at://${handle}`],
  verificationMethod: [],
  service: [
    {
      id: "#atproto_pds",
      type: "AtprotoPersonalDataServer",
      serviceEndpoint: SANDBOX_SERVICE,
    },
  ],
});

/** A known account by DID or handle. */
export function findAccount(store: SandboxStore, identifier: string): Account | null {
  const [row] = store.sql
    .exec<{ did: string; handle: string }>(
      "SELECT did, handle FROM bluesky_accounts WHERE did = ?1 OR handle = ?1",
      identifier.toLowerCase(),
    )
    .toArray();
  return row ?? null;
}

/** The account of a DID or handle, brought into being where the simulated network has that handle. */
async function resolveAccount(store: SandboxStore, identifier: string): Promise<Account | null> {
  const handle = identifier.toLowerCase();
  if (isSimulatedHandle(handle)) {
    store.sql.exec(
      "INSERT OR IGNORE INTO bluesky_accounts (did, handle, app_password) VALUES (?, ?, ?)",
      await didOf(handle),
      handle,
      SANDBOX_APP_PASSWORD,
    );
  }
  return findAccount(store, handle);
}

function issueTokens(store: SandboxStore, did: string, sessionId: string) {
  const at = now().getTime();
  const claims = { sub: did, aud: SANDBOX_SERVICE_DID, iat: seconds(at) };
  const accessJwt = createToken("at+jwt", {
    ...claims,
    scope: "com.atproto.appPass",
    exp: seconds(at + ACCESS_MS),
  });
  const refreshJwt = createToken("refresh+jwt", {
    ...claims,
    scope: "com.atproto.refresh",
    jti: randomHex(16),
    exp: seconds(at + REFRESH_MS),
  });
  store.sql.exec("DELETE FROM bluesky_tokens WHERE expires_at < ?", at - REMEMBERED_MS);
  store.sql.exec(
    `INSERT INTO bluesky_tokens (token, kind, did, session_id, expires_at)
     VALUES (?1, 'access', ?3, ?4, ?5), (?2, 'refresh', ?3, ?4, ?6)`,
    accessJwt,
    refreshJwt,
    did,
    sessionId,
    at + ACCESS_MS,
    at + REFRESH_MS,
  );
  return { accessJwt, refreshJwt };
}

/**
 * Whose token the call carries.
 *
 * @throws XrpcError 401 AuthMissing; 400 InvalidToken, ExpiredToken
 */
export function authenticate(call: XrpcCall, kind: TokenKind) {
  const token = /^Bearer (.+)$/.exec(call.request.headers.get("authorization") ?? "")?.[1];
  if (!token) throw new XrpcError(401, "AuthMissing", "Authentication Required");
  const [row] = call.store.sql
    .exec<TokenRow>(
      "SELECT kind, did, session_id, expires_at, revoked FROM bluesky_tokens WHERE token = ?",
      token,
    )
    .toArray();
  const account = row && findAccount(call.store, row.did);
  if (!account) throw invalidRequest("Token could not be verified", "InvalidToken");
  if (row.kind !== kind) throw invalidRequest("Bad token scope", "InvalidToken");
  if (row.revoked) throw invalidRequest("Token has been revoked", "ExpiredToken");
  if (row.expires_at <= now().getTime()) throw expiredToken();
  return { token, account, sessionId: row.session_id };
}

export const expiredToken = () => invalidRequest("Token has expired", "ExpiredToken");

const sessionOf = (account: Account) => ({
  did: account.did,
  didDoc: didDocument(account),
  handle: account.handle,
  email: `${account.did.slice(-8)}@sandbox.test`,
  emailConfirmed: true,
  emailAuthFactor: false,
  active: true,
});

const credentials = z.object({
  identifier: z.string(),
  password: z.string(),
  authFactorToken: z.string().optional(),
});

export async function createSession(call: XrpcCall): Promise<Response> {
  const { identifier, password } = await readInput(call, credentials);
  const isRight = password === SANDBOX_APP_PASSWORD;
  const account = isRight ? await resolveAccount(call.store, identifier) : null;
  if (!account) {
    throw new XrpcError(401, "AuthenticationRequired", "Invalid identifier or password");
  }
  const tokens = issueTokens(call.store, account.did, randomHex(16));
  return Response.json({ ...sessionOf(account), ...tokens });
}

export async function refreshSession(call: XrpcCall): Promise<Response> {
  requireNoBody(call.request);
  const { token, account, sessionId } = authenticate(call, "refresh");
  call.store.sql.exec(
    "UPDATE bluesky_tokens SET expires_at = min(expires_at, ?) WHERE token = ?",
    now().getTime() + GRACE_MS,
    token,
  );
  const tokens = issueTokens(call.store, account.did, sessionId);
  return Response.json({ ...sessionOf(account), ...tokens });
}

/** Ends the session's refresh tokens; an access token lives on to its end, as it does there. */
export async function deleteSession(call: XrpcCall): Promise<Response> {
  requireNoBody(call.request);
  const { sessionId } = authenticate(call, "refresh");
  call.store.sql.exec(
    "UPDATE bluesky_tokens SET revoked = 1 WHERE session_id = ? AND kind = 'refresh'",
    sessionId,
  );
  return new Response(null, { status: 200 });
}

/** Ends every token of the session at once, as for an account that was taken down. */
export function endSession(store: SandboxStore, sessionId: string): void {
  store.sql.exec("UPDATE bluesky_tokens SET revoked = 1 WHERE session_id = ?", sessionId);
}

export async function getSession(call: XrpcCall): Promise<Response> {
  return Response.json(sessionOf(authenticate(call, "access").account));
}

export async function getServiceAuth(call: XrpcCall): Promise<Response> {
  const { account } = authenticate(call, "access");
  const aud = requireParam(call, "aud");
  if (!aud.startsWith("did:")) throw invalidRequest("Error: aud must be a valid did");
  const iat = seconds(now().getTime());
  const exp = Number(call.url.searchParams.get("exp") ?? seconds(addSeconds(now(), 60).getTime()));
  if (!Number.isInteger(exp) || exp < iat) {
    throw invalidRequest("expiration is in past", "BadExpiration");
  }
  if (exp - iat > SERVICE_AUTH_SECONDS) {
    throw invalidRequest(
      "cannot request a token with an expiration more than an hour in the future",
      "BadExpiration",
    );
  }
  const lxm = call.url.searchParams.get("lxm");
  const claims = { iss: account.did, aud, iat, exp, jti: randomHex(16) };
  const token = createToken("JWT", lxm ? { ...claims, lxm } : claims);
  const rememberedFrom = now().getTime() - SERVICE_AUTH_SECONDS * SECOND;
  call.store.sql.exec("DELETE FROM bluesky_service_tokens WHERE expires_at < ?", rememberedFrom);
  call.store.sql.exec(
    `INSERT INTO bluesky_service_tokens (token, did, audience, method, expires_at)
     VALUES (?, ?, ?, ?, ?)`,
    token,
    account.did,
    aud,
    lxm,
    exp * SECOND,
  );
  return Response.json({ token });
}

/**
 * Who calls another service of the network with a token from `getServiceAuth`, and until when (epoch
 * milliseconds) the token is good.
 *
 * @throws XrpcError 401 AuthMissing, BadJwt, JwtExpired, BadJwtAudience, BadJwtLexiconMethod
 */
export function authenticateService(
  call: XrpcCall,
  expected: { audience: string; method: string },
): { account: Account; expiresAt: number } {
  const token = /^Bearer (.+)$/.exec(call.request.headers.get("authorization") ?? "")?.[1];
  if (!token) throw new XrpcError(401, "AuthMissing", "Authentication Required");
  const [row] = call.store.sql
    .exec<{ did: string; audience: string; method: string | null; expires_at: number }>(
      "SELECT did, audience, method, expires_at FROM bluesky_service_tokens WHERE token = ?",
      token,
    )
    .toArray();
  const account = row && findAccount(call.store, row.did);
  if (!account) throw new XrpcError(401, "BadJwt", "poorly formatted jwt");
  if (row.expires_at <= now().getTime()) throw new XrpcError(401, "JwtExpired", "jwt expired");
  if (row.audience !== expected.audience) {
    throw new XrpcError(401, "BadJwtAudience", "jwt audience does not match service did");
  }
  if (row.method !== expected.method) {
    throw new XrpcError(
      401,
      "BadJwtLexiconMethod",
      `bad jwt lexicon method ("lxm"). must match: ${expected.method}`,
    );
  }
  return { account, expiresAt: row.expires_at };
}

export async function resolveHandle(call: XrpcCall): Promise<Response> {
  const account = await resolveAccount(call.store, requireParam(call, "handle"));
  if (!account) throw invalidRequest("Unable to resolve handle");
  return Response.json({ did: account.did });
}

export async function getProfile(call: XrpcCall): Promise<Response> {
  const account = await resolveAccount(call.store, requireParam(call, "actor"));
  if (!account) throw invalidRequest("Profile not found");
  const [posts] = call.store.sql
    .exec<{ count: number }>(
      "SELECT count(*) AS count FROM posts WHERE platform = 'bluesky' AND author = ?",
      account.handle,
    )
    .toArray();
  return Response.json({
    did: account.did,
    handle: account.handle,
    displayName: displayNameOf(account.handle),
    followersCount: 0,
    followsCount: 0,
    postsCount: posts?.count ?? 0,
    labels: [],
  });
}

/** The directory of DIDs, which speaks no XRPC. */
export function readDidDocument(store: SandboxStore, did: string): Response {
  const account = findAccount(store, did);
  if (!account) {
    return Response.json({ message: `DID not registered: ${did}` }, { status: 404 });
  }
  return Response.json(didDocument(account), {
    headers: { "content-type": "application/did+ld+json" },
  });
}
