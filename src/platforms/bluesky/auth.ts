import * as z from "zod";
import { ok, type Result, refuse } from "../../core/result.ts";
import { isLoopback } from "../../core/url-policy.ts";
import type { Connector, Fetch, PublishAccount } from "../connector.ts";
import { callUnread, finalRefusal, notRenewable, toProfile } from "../kit/logins.ts";
import { capped } from "../kit/replies.ts";
import type { Connected, Credentials, LoginForm, LoginRefusal } from "../login.ts";
import {
  createSessionRequest,
  deleteSessionRequest,
  ENTRYWAY,
  getProfileRequest,
  getSessionRequest,
  readCreateSessionReply,
  readGetProfileReply,
  readGetSessionReply,
  readRefreshSessionReply,
  refreshSessionRequest,
  type Session,
  type SessionInfo,
  type XrpcRefusal,
} from "./api.ts";
import { isGrant, proveLogin } from "./grant.ts";
import {
  BLUESKY_HOSTS,
  HANDLE,
  type Home,
  plainIdentifier,
  proveServer,
  resolveDid,
  resolveHandle,
  toLoginRefusal,
  unknownIdentifier,
} from "./identity.ts";

/** Main passwords hardly ever look like this. */
const APP_PASSWORD = /^[a-z0-9]{4}(?:-[a-z0-9]{4}){3}$/;
/** Stands for a handle that no longer leads to its account. */
const INVALID_HANDLE = "handle.invalid";
const jwtClaims = z.object({
  exp: z.number().optional().catch(undefined),
  sub: z.string().optional().catch(undefined),
});

/** Unverified claims; empty when the token is no JWT. */
function readJwtClaims(token: string): z.infer<typeof jwtClaims> {
  try {
    const payload = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    return jwtClaims.parse(JSON.parse(atob(payload)));
  } catch {
    return {};
  }
}

function expiryOf(token: string): Date | null {
  const expiresAt = new Date((readJwtClaims(token).exp ?? Number.NaN) * 1_000);
  return Number.isNaN(expiresAt.getTime()) ? null : expiresAt;
}

type FoundHome = Pick<Home, "pds"> & { did: string | null };

async function findHome(
  fetch: Fetch,
  identifier: string,
): Promise<Result<FoundHome, LoginRefusal>> {
  if (identifier.startsWith("did:")) return resolveDid(fetch, identifier);
  // Only Bluesky's own server knows email addresses.
  if (identifier.includes("@")) return ok({ did: null, pds: ENTRYWAY });
  if (HANDLE.test(identifier)) return resolveHandle(fetch, identifier);
  return unknownIdentifier(
    "Send your whole handle (such as name.bsky.social), DID or email address.",
  );
}

async function findLooks(
  fetch: Fetch,
  did: string,
): Promise<{ name?: string | null; image?: string | null }> {
  try {
    const reply = await readGetProfileReply(await fetch(getProfileRequest(did)));
    if (!reply.ok) return {};
    const { displayName, avatar } = reply.value;
    return { name: displayName, image: avatar };
  } catch {
    return {};
  }
}

interface Standing {
  service: string;
  unproven?: LoginRefusal;
}

/** The DID document must name the server. */
async function judgeServer(
  fetch: Fetch,
  did: string,
  server: string,
): Promise<Result<Standing, LoginRefusal>> {
  const proof = await proveServer(fetch, did, server).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    const message = `The DID document of ${did} could not be read: ${capped(why)}`;
    return { kind: "unproven", refusal: { message, final: false } } as const;
  });
  if (proof.kind === "foreign") return refuse(proof.refusal);
  return proof.kind === "proven"
    ? ok({ service: proof.pds })
    : ok({ service: server, unproven: proof.refusal });
}

async function connectedAs(
  fetch: Fetch,
  session: SessionInfo,
  { service, unproven }: Standing,
  login: { credentials: Credentials; isPublic: boolean },
): Promise<Connected> {
  const looks = login.isPublic && !unproven ? await findLooks(fetch, session.did) : {};
  const handle = session.handle === INVALID_HANDLE || session.handle === "" ? null : session.handle;
  const owner = { id: session.did, name: looks.name, handle, picture: looks.image ?? null };
  return {
    profile: { ...toProfile(owner), service },
    credentials: login.credentials,
    ...(unproven ? { unproven } : {}),
  };
}

const toCredentials = (session: Session): Credentials => ({
  accessToken: session.accessJwt,
  refreshToken: session.refreshJwt,
  expiresAt: expiryOf(session.accessJwt),
  refreshEndsAt: expiryOf(session.refreshJwt),
});

function refusedSession(
  { did, active, status }: SessionInfo,
  expectedDid: string | null,
): LoginRefusal | null {
  if (expectedDid !== null && did !== expectedDid) {
    const message = `The server answered with another account: ${capped(did)}.`;
    return { message, final: true };
  }
  if (active !== false) return null;
  const message = `This Bluesky account is ${capped(status ?? "not active")}.`;
  return { message, final: true };
}

function explainLogin(refusal: XrpcRefusal): LoginRefusal {
  if (refusal.name !== "AuthFactorTokenRequired") return toLoginRefusal(refusal);
  return {
    message: "Bluesky has mailed you a sign-in code; send it as authFactorToken and try again.",
    final: true,
    field: "authFactorToken",
  };
}

/**
 * Servers are verified before the call, except a server that the request names as `service`.
 * @see https://docs.bsky.app/docs/api/com-atproto-server-create-session
 */
export const connect: LoginForm["connect"] = async (fetch, fields) => {
  const password = fields.appPassword?.trim() ?? "";
  if (!APP_PASSWORD.test(password)) {
    return finalRefusal(
      "appPassword must look like xxxx-xxxx-xxxx-xxxx: create an app password in Bluesky under Settings, Privacy and security, App passwords.",
    );
  }
  const identifier = plainIdentifier(fields.identifier ?? "");
  if (identifier === "") return unknownIdentifier("Send your handle, DID or email as identifier.");
  const home: Result<FoundHome, LoginRefusal> = fields.service
    ? ok({ did: null, pds: new URL(fields.service).origin })
    : await findHome(fetch, identifier);
  if (!home.ok) return home;
  const { did, pds } = home.value;
  const isHosted = !fields.service && new URL(pds).hostname.endsWith(BLUESKY_HOSTS);
  const request = createSessionRequest(isHosted ? ENTRYWAY : pds, {
    identifier,
    password,
    ...(fields.authFactorToken ? { authFactorToken: fields.authFactorToken.trim() } : {}),
  });
  const reply = await readCreateSessionReply(await fetch(request));
  if (!reply.ok) return refuse(explainLogin(reply.error));
  const session = reply.value;
  const refused = refusedSession(session, did);
  if (refused) return refuse(refused);
  const standing = did === null ? await judgeServer(fetch, session.did, pds) : ok({ service: pds });
  if (!standing.ok) return standing;
  const login = { credentials: toCredentials(session), isPublic: !fields.service };
  return ok(await connectedAs(fetch, session, standing.value, login));
};

export const identify: Connector["identify"] = async (fetch, credentials, { service }) => {
  const { sub } = readJwtClaims(credentials.accessToken);
  if (!service && sub) {
    const home = await resolveDid(fetch, sub);
    return home.ok ? readAccount(fetch, credentials, home.value) : home;
  }
  const server = service ? new URL(service).origin : ENTRYWAY;
  const session = await readSession(fetch, credentials, server, null);
  if (!session.ok) return session;
  const standing = await judgeServer(fetch, session.value.did, server);
  if (!standing.ok) return standing;
  const login = { credentials: withExpiry(credentials), isPublic: !service };
  return ok(await connectedAs(fetch, session.value, standing.value, login));
};

export async function readAccount(
  fetch: Fetch,
  credentials: Credentials,
  { did, pds }: Home,
): Promise<Result<Connected, LoginRefusal>> {
  const session = await readSession(fetch, credentials, pds, did);
  if (!session.ok) return session;
  const login = { credentials: withExpiry(credentials), isPublic: true };
  return ok(await connectedAs(fetch, session.value, { service: pds }, login));
}

/** @param did the expected account; null for any */
async function readSession(
  fetch: Fetch,
  credentials: Credentials,
  server: string,
  did: string | null,
): Promise<Result<SessionInfo, LoginRefusal>> {
  const proven = await proveLogin(fetch, credentials);
  const reply = await readGetSessionReply(
    await proven(getSessionRequest(server, credentials.accessToken)),
  );
  if (!reply.ok) return refuse(toLoginRefusal(reply.error));
  const refused = refusedSession(reply.value, did);
  return refused ? refuse(refused) : reply;
}

const withExpiry = (credentials: Credentials): Credentials => ({
  ...credentials,
  expiresAt: credentials.expiresAt ?? expiryOf(credentials.accessToken),
});

/** Null unless the account has moved. No directory knows accounts of loopback servers. */
async function refusedServer(
  fetch: Fetch,
  { platformAccountId: did, service, isUnproven }: PublishAccount,
): Promise<LoginRefusal | null> {
  const server = service ?? ENTRYWAY;
  if (isUnproven || isLoopback(new URL(server).hostname)) return null;
  const proof = await proveServer(fetch, did, server);
  if (proof.kind === "proven") return null;
  const { message, final } = proof.refusal;
  return { message: final ? `${message} Connect the account again.` : message, final };
}

const LOST_LOGIN = new Set([
  "ExpiredToken",
  "InvalidToken",
  "AuthMissing",
  "AuthenticationRequired",
  "AccountTakedown",
  "AccountDeactivated",
]);

/**
 * With an app password a lost reply does no harm: the old refresh token works for 2 hours.
 * @see https://docs.bsky.app/docs/api/com-atproto-server-refresh-session
 */
export const refresh: Connector["refresh"] = async (fetch, credentials, account, app) => {
  if (!credentials.refreshToken) return notRenewable("Bluesky");
  // Checked before renewing, because tokens that are refused afterwards would be lost.
  const moved = await refusedServer(fetch, account);
  if (moved) return refuse(moved);
  if (isGrant(credentials)) {
    const { refreshGrant } = await import("./oauth.ts");
    return refreshGrant(fetch, credentials, account, app);
  }
  const request = refreshSessionRequest(account.service ?? ENTRYWAY, credentials.refreshToken);
  const reply = await readRefreshSessionReply(await fetch(request));
  if (!reply.ok) {
    const { status, name, message } = reply.error;
    const isRefusal = status === 400 || status === 401 || status === 403;
    return refuse({ message, final: isRefusal && name !== null && LOST_LOGIN.has(name) });
  }
  const refused = refusedSession(reply.value, account.platformAccountId);
  return refused ? refuse(refused) : ok(toCredentials(reply.value));
};

/** The app password stays valid until its owner removes it. */
export const revoke: Required<Connector>["revoke"] = async (fetch, credentials, account, app) => {
  if (isGrant(credentials)) {
    const { revokeGrant } = await import("./oauth.ts");
    return revokeGrant(fetch, credentials, app);
  }
  if (!credentials.refreshToken) return;
  const server = account.service ?? ENTRYWAY;
  await callUnread(fetch, deleteSessionRequest(server, credentials.refreshToken));
};
