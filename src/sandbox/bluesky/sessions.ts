import * as z from "zod";
import { now } from "../../core/clock.ts";
import { randomHex } from "../../core/ids.ts";
import { addSeconds, DAY, HOUR, SECOND } from "../../core/time.ts";
import { followersOf } from "../kit/audience.ts";
import { bearerOf } from "../kit/input.ts";
import { ANY_TEAM, Logins, REVOKED } from "../kit/logins.ts";
import type { Refusal } from "../kit/refusal.ts";
import type { Call } from "../kit/simulator.ts";
import { posts, type SandboxStore } from "../kit/store.ts";
import { key, Table, text } from "../kit/table.ts";
import { challengeOf, readProof } from "./dpop.ts";
import {
  didOf,
  displayNameOf,
  isSimulatedHandle,
  SANDBOX_APP_PASSWORD,
  SANDBOX_SERVICE,
} from "./identity.ts";
import { readJwt } from "./jwt.ts";
import { invalidRequest, readInput, requireNoBody, requireParam, xrpcError } from "./xrpc.ts";

export const accounts = new Table(
  "bluesky_accounts",
  {
    did: key(),
    handle: text(),
    app_password: text(),
  },
  { constraint: "UNIQUE (handle)" },
);

/** Migrates tokens from before the shared table of logins. */
export const OLDER_TOKENS = {
  schema: `
CREATE TABLE IF NOT EXISTS bluesky_tokens (
  token TEXT, kind TEXT, did TEXT, session_id TEXT, expires_at INTEGER, revoked INTEGER
);
INSERT OR IGNORE INTO logins (platform, team_id, token, kind, name, expires_at)
  SELECT 'bluesky', ${ANY_TEAM.teamId}, token, kind, did || ' ' || session_id,
    iif(revoked, ${REVOKED}, expires_at)
  FROM bluesky_tokens;
DROP TABLE bluesky_tokens;
`,
};

/** Source: platform notes, "App password". */
const ACCESS_MS = 2 * HOUR;
const REFRESH_MS = 90 * DAY;
/** Life of a rotated refresh token, in case the client lost the answer. */
const GRACE_MS = 2 * HOUR;
/** Expired tokens are refused as expired for this long, then as unknown. */
const REMEMBERED_MS = 90 * DAY;
const SERVICE_AUTH_SECONDS = 3_600;

export const SANDBOX_SERVICE_DID = `did:web:${new URL(SANDBOX_SERVICE).host}`;

export interface Account {
  did: string;
  handle: string;
}

/** All teams share Bluesky accounts. */
export const loginsOf = ({ env: { store } }: Call) => new Logins(store.sql, "bluesky", ANY_TEAM);

export const seconds = (ms: number): number => Math.floor(ms / SECOND);

const base64Url = (bytes: Uint8Array): string =>
  bytes.toBase64({ alphabet: "base64url", omitPadding: true });

/** The signature is random, because it is never verified. */
export function createToken(typ: string, payload: Record<string, unknown>): string {
  const part = (value: unknown) => base64Url(new TextEncoder().encode(JSON.stringify(value)));
  const signature = base64Url(crypto.getRandomValues(new Uint8Array(32)));
  return `${part({ typ, alg: "HS256" })}.${part(payload)}.${signature}`;
}

const claimsOf = (token: string): Record<string, unknown> => readJwt(token)?.claims ?? {};

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

export function findAccount(store: SandboxStore, identifier: string): Account | null {
  const name = identifier.toLowerCase();
  return accounts.find(store, { did: name }) ?? accounts.find(store, { handle: name });
}

export async function resolveAccount(
  store: SandboxStore,
  identifier: string,
): Promise<Account | null> {
  const handle = identifier.toLowerCase();
  if (isSimulatedHandle(handle)) {
    const did = await didOf(handle);
    accounts.insert(store, { did, handle, app_password: SANDBOX_APP_PASSWORD }, "OR IGNORE");
  }
  return findAccount(store, handle);
}

/** A session's tokens share this name, to be revoked together. */
export const loginOf = (did: string, sessionId: string): string => `${did} ${sessionId}`;

function issueTokens(call: Call, did: string, sessionId: string) {
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
  const logins = loginsOf(call);
  logins.forget(at - REMEMBERED_MS);
  logins.save(accessJwt, "access", loginOf(did, sessionId), at + ACCESS_MS);
  logins.save(refreshJwt, "refresh", loginOf(did, sessionId), at + REFRESH_MS);
  return { accessJwt, refreshJwt };
}

export async function authenticate(call: Call): Promise<{ token: string; account: Account }> {
  const [, token] = /^DPoP (.+)$/.exec(call.req.header("authorization") ?? "") ?? [];
  return token === undefined ? requireLogin(call, "access") : requireProven(call, token);
}

function unproven(error: string, message: string): Refusal {
  return xrpcError(401, error, message, challengeOf(error, message));
}

const ALWAYS_OPEN = /\.getSession$/;
const GENERIC = "transition:generic";

/** @throws Refusal for an invalid token, proof or scope */
async function requireProven(call: Call, token: string) {
  const jkt = await readProof(call, unproven, token);
  const login = loginsOf(call).find(token);
  const [did = ""] = login?.name.split(" ") ?? [];
  const account = findAccount(call.env.store, did);
  const claims = claimsOf(token);
  const bound = claims.cnf as { jkt?: string } | undefined;
  if (!login || !account || login.kind !== "access" || login.expires_at === REVOKED || !bound) {
    throw unproven("invalid_token", "Malformed token");
  }
  if (jkt === null) throw unproven("invalid_dpop_proof", "DPoP proof required");
  if (bound.jkt !== jkt) throw unproven("invalid_token", "Invalid DPoP key binding");
  if (login.expires_at <= now().getTime()) {
    const end = new Date(login.expires_at).toISOString();
    throw unproven("invalid_token", `Token expired at ${end}`);
  }
  const isOpen = ALWAYS_OPEN.test(new URL(call.req.url).pathname);
  if (!isOpen && !String(claims.scope).split(" ").includes(GENERIC)) {
    throw xrpcError(403, "ScopeMissingError", `Missing required scope "${GENERIC}"`);
  }
  return { token, account };
}

/** @throws Refusal 401 AuthMissing; 400 InvalidToken, ExpiredToken */
function requireLogin(call: Call, kind: "access" | "refresh") {
  const token = bearerOf(call);
  if (!token) throw xrpcError(401, "AuthMissing", "Authentication Required");
  const login = loginsOf(call).find(token);
  const [did = "", sessionId] = login?.name.split(" ") ?? [];
  const account = findAccount(call.env.store, did);
  if (!login || !account || !sessionId) {
    throw invalidRequest("Token could not be verified", "InvalidToken");
  }
  if (isOfConsent(token)) throw invalidRequest("Malformed token", "InvalidToken");
  if (login.kind !== kind) throw invalidRequest("Bad token scope", "InvalidToken");
  if (login.expires_at === REVOKED) throw invalidRequest("Token has been revoked", "ExpiredToken");
  if (login.expires_at <= now().getTime()) throw expiredToken();
  return { token, account, sessionId };
}

export const expiredToken = () => invalidRequest("Token has expired", "ExpiredToken");

const isOfConsent = (token: string): boolean =>
  token.startsWith("ref-") || claimsOf(token).cnf !== undefined;

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

export async function createSession(call: Call): Promise<Response> {
  const { identifier, password } = await readInput(call, credentials);
  const isRight = password === SANDBOX_APP_PASSWORD;
  const account = isRight ? await resolveAccount(call.env.store, identifier) : null;
  if (!account) {
    throw xrpcError(401, "AuthenticationRequired", "Invalid identifier or password");
  }
  const tokens = issueTokens(call, account.did, randomHex(16));
  return Response.json({ ...sessionOf(account), ...tokens });
}

export async function refreshSession(call: Call): Promise<Response> {
  requireNoBody(call);
  const { token, account, sessionId } = requireLogin(call, "refresh");
  loginsOf(call).end(token, now().getTime() + GRACE_MS);
  const tokens = issueTokens(call, account.did, sessionId);
  return Response.json({ ...sessionOf(account), ...tokens });
}

/** The access token stays valid until it expires. */
export async function deleteSession(call: Call): Promise<Response> {
  requireNoBody(call);
  const { account, sessionId } = requireLogin(call, "refresh");
  loginsOf(call).endAll(loginOf(account.did, sessionId), "refresh");
  return new Response(null, { status: 200 });
}

export async function getSession(call: Call): Promise<Response> {
  const { account } = await authenticate(call);
  return Response.json(sessionOf(account));
}

export async function getServiceAuth(call: Call): Promise<Response> {
  const { account } = await authenticate(call);
  const aud = requireParam(call, "aud");
  if (!aud.startsWith("did:")) throw invalidRequest("Error: aud must be a valid did");
  const iat = seconds(now().getTime());
  const exp = Number(call.req.query("exp") ?? seconds(addSeconds(now(), 60).getTime()));
  if (!Number.isInteger(exp) || exp < iat) {
    throw invalidRequest("expiration is in past", "BadExpiration");
  }
  if (exp - iat > SERVICE_AUTH_SECONDS) {
    throw invalidRequest(
      "cannot request a token with an expiration more than an hour in the future",
      "BadExpiration",
    );
  }
  const lxm = call.req.query("lxm");
  const claims = { iss: account.did, aud, iat, exp, jti: randomHex(16) };
  const token = createToken("JWT", lxm ? { ...claims, lxm } : claims);
  loginsOf(call).save(token, "service", account.did, exp * SECOND);
  return Response.json({ token });
}

/**
 * `expiresAt` is epoch ms.
 *
 * @throws Refusal 401 AuthMissing, BadJwt, JwtExpired, BadJwtAudience, BadJwtLexiconMethod
 */
export function authenticateService(
  call: Call,
  expected: { audience: string; method: string },
): { account: Account; expiresAt: number } {
  const token = bearerOf(call);
  if (!token) throw xrpcError(401, "AuthMissing", "Authentication Required");
  const login = loginsOf(call).find(token);
  const account = login?.kind === "service" ? findAccount(call.env.store, login.name) : null;
  if (!login || !account) throw xrpcError(401, "BadJwt", "poorly formatted jwt");
  const { expires_at: expiresAt } = login;
  if (expiresAt <= now().getTime()) throw xrpcError(401, "JwtExpired", "jwt expired");
  const { aud, lxm } = claimsOf(token);
  if (aud !== expected.audience) {
    throw xrpcError(401, "BadJwtAudience", "jwt audience does not match service did");
  }
  if (lxm !== expected.method) {
    throw xrpcError(
      401,
      "BadJwtLexiconMethod",
      `bad jwt lexicon method ("lxm"). must match: ${expected.method}`,
    );
  }
  return { account, expiresAt };
}

export async function resolveHandle(call: Call): Promise<Response> {
  const account = await resolveAccount(call.env.store, requireParam(call, "handle"));
  if (!account) throw invalidRequest("Unable to resolve handle");
  return Response.json({ did: account.did });
}

export async function getProfile(call: Call): Promise<Response> {
  const account = await resolveAccount(call.env.store, requireParam(call, "actor"));
  if (!account) throw invalidRequest("Profile not found");
  const { store } = call.env;
  return Response.json({
    did: account.did,
    handle: account.handle,
    displayName: displayNameOf(account.handle),
    followersCount: followersOf(`bluesky ${account.did}`),
    followsCount: 0,
    postsCount: posts.count(store, { platform: "bluesky", author: account.handle }),
    labels: [],
  });
}

export function readDidDocument(call: Call): Response {
  const { pathname } = new URL(call.req.url);
  const did = pathname.slice(1).replaceAll(/%3a/gi, ":");
  const account = findAccount(call.env.store, did);
  if (!account) {
    return Response.json({ message: `DID not registered: ${did}` }, { status: 404 });
  }
  return Response.json(didDocument(account), {
    headers: { "content-type": "application/did+ld+json" },
  });
}
