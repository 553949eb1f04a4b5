import * as z from "zod";
import { ok, type Result, refuse } from "../../core/result.ts";
import { refusedUrl } from "../../core/url-policy.ts";
import type { Fetch, PublishAccount } from "../connector.ts";
import { callUnread, finalRefusal, notRenewable, publicPicture } from "../kit/logins.ts";
import type {
  Connected,
  Credentials,
  IdentifyOptions,
  LoginRefusal,
  PasswordLogin,
  Profile,
} from "../login.ts";
import {
  createSessionRequest,
  deleteSessionRequest,
  didDocumentRequest,
  ENTRYWAY,
  getProfileRequest,
  getSessionRequest,
  PUBLIC_API,
  readCreateSessionReply,
  readDidDocumentReply,
  readGetProfileReply,
  readGetSessionReply,
  readRefreshSessionReply,
  readResolveHandleReply,
  refreshSessionRequest,
  resolveHandleRequest,
  type Session,
  type SessionInfo,
  type XrpcRefusal,
} from "./api.ts";

/** The form of what Bluesky generates; the main password is hardly ever of this form, and is never wanted. */
const APP_PASSWORD = /^[a-z0-9]{4}(?:-[a-z0-9]{4}){3}$/;
/** @see https://atproto.com/specs/handle */
const HANDLE = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Stands for a handle that no longer leads back to its account. */
const INVALID_HANDLE = "handle.invalid";
/** Servers run by Bluesky take logins at the entryway. */
const BLUESKY_HOSTS = ".host.bsky.network";
/** Marks of text direction, which come along when a handle is copied from an app. */
const DIRECTION_MARKS = /[\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

const nobodyNamed = (message: string) => finalRefusal(message, "identifier");

/** 4xx is an answer about this login, apart from being too many or too slow. */
function toLoginRefusal({ status, message }: XrpcRefusal): LoginRefusal {
  return { message, final: status >= 400 && status < 500 && status !== 408 && status !== 429 };
}

const jwtClaims = z.object({
  exp: z.number().optional().catch(undefined),
  sub: z.string().optional().catch(undefined),
});

/** The claims of a token, unverified: its server does that. Empty when it is no JWT. */
function readJwtClaims(token: string): z.infer<typeof jwtClaims> {
  try {
    const payload = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    return jwtClaims.parse(JSON.parse(atob(payload)));
  } catch {
    return {};
  }
}

/** Returns when the access token runs out, by its own `exp` (epoch seconds); null when it does not say. */
function expiryOf(accessToken: string): Date | null {
  const expiresAt = new Date((readJwtClaims(accessToken).exp ?? Number.NaN) * 1_000);
  return Number.isNaN(expiresAt.getTime()) ? null : expiresAt;
}

/**
 * Returns where the document of a DID lies, or null when it is of no kind that the network uses or names a
 * host that must not be fetched.
 *
 * @see https://atproto.com/specs/did
 */
export function didDocumentUrl(did: string): string | null {
  if (/^did:plc:[a-z2-7]{24}$/.test(did)) return `https://plc.directory/${did}`;
  const host = /^did:web:([a-z0-9.-]+)$/i.exec(did)?.[1];
  const url = `https://${host}/.well-known/did.json`;
  return host && refusedUrl(url) === null ? url : null;
}

const didServices = z.object({ service: z.array(z.unknown()) });
const pdsService = z.object({
  id: z.string(),
  type: z.literal("AtprotoPersonalDataServer"),
  serviceEndpoint: z.string(),
});

/** The origin of the account's server by its DID document; null when it names none we may call. */
export function pdsOf(document: unknown, did: string): string | null {
  const services = didServices.safeParse(document).data?.service ?? [];
  for (const entry of services) {
    const service = pdsService.safeParse(entry).data;
    if (service?.id !== "#atproto_pds" && service?.id !== `${did}#atproto_pds`) continue;
    return refusedUrl(service.serviceEndpoint) ? null : new URL(service.serviceEndpoint).origin;
  }
  return null;
}

async function resolveHandle(fetch: Fetch, handle: string): Promise<Result<string, LoginRefusal>> {
  const reply = await readResolveHandleReply(await fetch(resolveHandleRequest(PUBLIC_API, handle)));
  if (reply.ok) return reply;
  if (reply.error.status !== 400) return refuse(toLoginRefusal(reply.error));
  return nobodyNamed(`No Bluesky account has the handle ${handle}; check its spelling.`);
}

/** The origin of the server that keeps the account of a DID. */
async function resolvePds(fetch: Fetch, did: string): Promise<Result<string, LoginRefusal>> {
  const url = didDocumentUrl(did);
  if (!url) return nobodyNamed(`${did} is not a DID of a Bluesky account.`);
  const reply = await readDidDocumentReply(await fetch(didDocumentRequest(url)));
  if (!reply.ok) {
    const isGone = reply.error.status === 404 || reply.error.status === 410;
    if (isGone) return nobodyNamed(`No Bluesky account has the DID ${did}.`);
    return refuse({ message: reply.error.message, final: false });
  }
  const pds = reply.value.id === did ? pdsOf(reply.value, did) : null;
  return pds ? ok(pds) : nobodyNamed(`The DID document of ${did} names no usable server.`);
}

/** The home of an identifier: the account's server, and its DID where it was looked up. */
interface Home {
  did: string | null;
  pds: string;
}

async function findHome(fetch: Fetch, identifier: string): Promise<Result<Home, LoginRefusal>> {
  if (identifier.startsWith("did:")) {
    const pds = await resolvePds(fetch, identifier);
    return pds.ok ? ok({ did: identifier, pds: pds.value }) : pds;
  }
  // Only the entryway knows the email addresses of accounts.
  if (identifier.includes("@")) return ok({ did: null, pds: ENTRYWAY });
  if (!HANDLE.test(identifier)) {
    return nobodyNamed("Send your whole handle (such as name.bsky.social), DID or email address.");
  }
  const did = await resolveHandle(fetch, identifier);
  if (!did.ok) return did;
  const pds = await resolvePds(fetch, did.value);
  return pds.ok ? ok({ did: did.value, pds: pds.value }) : pds;
}

/** Name and picture as the public sees them; empty when they cannot be had, as only looks depend on them. */
async function findLooks(fetch: Fetch, did: string): Promise<{ name?: string; image?: string }> {
  try {
    const reply = await readGetProfileReply(await fetch(getProfileRequest(did)));
    if (!reply.ok) return {};
    const { displayName, avatar } = reply.value;
    return {
      name: displayName?.trim() || undefined,
      image: publicPicture(avatar) ?? undefined,
    };
  } catch {
    return {};
  }
}

/** `isPublic`: the account is on the public network, so its looks can be read there. */
async function toProfile(
  fetch: Fetch,
  session: SessionInfo,
  service: string,
  isPublic: boolean,
): Promise<Profile> {
  const looks = isPublic ? await findLooks(fetch, session.did) : {};
  const handle = session.handle === INVALID_HANDLE || session.handle === "" ? null : session.handle;
  return {
    platformAccountId: session.did,
    accountName: looks.name ?? handle ?? session.did,
    handle,
    profileImageUrl: looks.image ?? null,
    service,
  };
}

const toCredentials = (session: Session): Credentials => ({
  accessToken: session.accessJwt,
  refreshToken: session.refreshJwt,
  expiresAt: expiryOf(session.accessJwt),
});

/** Returns why a granted session is of no use, or null: a switched-off account cannot post. */
function refusedSession(
  { did, active, status }: SessionInfo,
  expectedDid: string | null,
): LoginRefusal | null {
  if (expectedDid !== null && did !== expectedDid) {
    return { message: `The server answered with another account: ${did}.`, final: true };
  }
  if (active !== false) return null;
  return { message: `This Bluesky account is ${status ?? "not active"}.`, final: true };
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
 * Login with an app password, at the account's own server. A `service` that is given is used as it
 * is; every server found on the way is judged before it is called.
 *
 * @see https://docs.bsky.app/docs/api/com-atproto-server-create-session
 */
export async function login(
  fetch: Fetch,
  fields: PasswordLogin,
): Promise<Result<Connected, LoginRefusal>> {
  const password = fields.appPassword.trim();
  if (!APP_PASSWORD.test(password)) {
    return finalRefusal(
      "appPassword must look like xxxx-xxxx-xxxx-xxxx: create an app password in Bluesky under Settings, Privacy and security, App passwords.",
    );
  }
  const written = fields.identifier.replaceAll(DIRECTION_MARKS, "").trim().replace(/^@/, "");
  const identifier = written.startsWith("did:") ? written : written.toLowerCase();
  if (identifier === "") return nobodyNamed("Send your handle, DID or email as identifier.");
  const home: Result<Home, LoginRefusal> = fields.service
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
  const service = fields.service ? pds : (pdsOf(session.didDoc, session.did) ?? pds);
  const profile = await toProfile(fetch, session, service, !fields.service);
  return ok({ profile, credentials: toCredentials(session) });
}

/** Returns whose tokens these are; the server is `service`, or the one of the DID that the token names. */
export async function identify(
  fetch: Fetch,
  credentials: Credentials,
  { service }: IdentifyOptions,
): Promise<Result<Connected, LoginRefusal>> {
  const { sub } = readJwtClaims(credentials.accessToken);
  const found: Result<string, LoginRefusal> = service
    ? ok(new URL(service).origin)
    : sub
      ? await resolvePds(fetch, sub)
      : ok(ENTRYWAY);
  if (!found.ok) return found;
  const request = getSessionRequest(found.value, credentials.accessToken);
  const reply = await readGetSessionReply(await fetch(request));
  if (!reply.ok) return refuse(toLoginRefusal(reply.error));
  const session = reply.value;
  const refused = refusedSession(session, null);
  if (refused) return refuse(refused);
  const home = service ? found.value : (pdsOf(session.didDoc, session.did) ?? found.value);
  const expiresAt = credentials.expiresAt ?? expiryOf(credentials.accessToken);
  const profile = await toProfile(fetch, session, home, !service);
  return ok({ profile, credentials: { ...credentials, expiresAt } });
}

/** The refresh token itself, or the account behind it, is refused. */
const LOST_LOGIN = new Set([
  "ExpiredToken",
  "InvalidToken",
  "AuthMissing",
  "AuthenticationRequired",
  "AccountTakedown",
  "AccountDeactivated",
]);

/**
 * A new pair of tokens. A reply that got lost does no harm: the old refresh token works for 2 hours.
 *
 * @see https://docs.bsky.app/docs/api/com-atproto-server-refresh-session
 */
export async function refresh(
  fetch: Fetch,
  credentials: Credentials,
  account: PublishAccount,
): Promise<Result<Credentials, LoginRefusal>> {
  if (!credentials.refreshToken) return notRenewable("Bluesky");
  const request = refreshSessionRequest(account.service ?? ENTRYWAY, credentials.refreshToken);
  const reply = await readRefreshSessionReply(await fetch(request));
  if (!reply.ok) {
    const { status, name, message } = reply.error;
    const isRefusal = status === 400 || status === 401 || status === 403;
    return refuse({ message, final: isRefusal && name !== null && LOST_LOGIN.has(name) });
  }
  const refused = refusedSession(reply.value, account.platformAccountId);
  return refused ? refuse(refused) : ok(toCredentials(reply.value));
}

/** Ends the session. The app password stays valid until its owner removes it. */
export async function revoke(
  fetch: Fetch,
  credentials: Credentials,
  account: PublishAccount,
): Promise<void> {
  if (!credentials.refreshToken) return;
  const server = account.service ?? ENTRYWAY;
  await callUnread(fetch, deleteSessionRequest(server, credentials.refreshToken));
}
