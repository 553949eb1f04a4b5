import * as oauth from "oauth4webapi";
import { ok, type Result, refuse } from "../../core/result.ts";
import { refusedUrl } from "../../core/url-policy.ts";
import type { Fetch } from "../connector.ts";
import type { ConsentPage, ConsentRefusal, Grant } from "../consent.ts";
import { challengeOf, consentRefusal, consentUrl, refusedConsent } from "../kit/consents.ts";
import { toConsentRefusal } from "../kit/logins.ts";
import type { AppKeys, Credentials, LoginRefusal } from "../login.ts";
import { ENTRYWAY } from "./api.ts";
import { readAccount } from "./auth.ts";
import { type AuthorizationServer, discoverServer, issuerOf } from "./authorization-server.ts";
import { clientOf, SCOPE } from "./client.ts";
import { createProofKey, withNonce } from "./dpop.ts";
import { HANDLE, type Home, plainIdentifier, resolveDid, resolveHandle } from "./identity.ts";
import {
  callerOf,
  exchangeCode,
  explainServer,
  keyIdOf,
  revokeGrant,
  type Session,
} from "./oauth.ts";

interface Entrance {
  server: AuthorizationServer;
  account: Home | null;
  hint: string | null;
}

async function findEntrance(
  fetch: Fetch,
  identifier: string | null,
): Promise<Result<Entrance, LoginRefusal>> {
  const name = plainIdentifier(identifier ?? "");
  // Only Bluesky's own server knows email addresses.
  if (name === "" || (name.includes("@") && !name.includes("/"))) {
    return enterServer(fetch, ENTRYWAY);
  }
  if (name.startsWith("did:")) return enterHome(fetch, name, await resolveDid(fetch, name));
  if (!HANDLE.test(name)) return enterServer(fetch, name);
  const home = await resolveHandle(fetch, name);
  if (home.ok || !home.error.final) return enterHome(fetch, name, home);
  // The name may also be a server's.
  const entrance = await enterServer(fetch, `https://${name}`).catch(() => home);
  return entrance.ok ? entrance : home;
}

async function enterServer(fetch: Fetch, url: string): Promise<Result<Entrance, LoginRefusal>> {
  const problem = refusedUrl(url);
  if (problem !== null) {
    const message =
      "Give a whole handle (such as name.bsky.social), a DID, or the https address of a server.";
    return refuse({ message, final: true, field: "identifier" });
  }
  const server = await discoverServer(fetch, new URL(url).origin);
  return server.ok ? ok({ server: server.value, account: null, hint: null }) : server;
}

async function enterHome(
  fetch: Fetch,
  hint: string,
  home: Result<Home, LoginRefusal>,
): Promise<Result<Entrance, LoginRefusal>> {
  if (!home.ok) return home;
  const server = await discoverServer(fetch, home.value.pds);
  return server.ok ? ok({ server: server.value, account: home.value, hint }) : server;
}

/**
 * Pushes the request to the account's own server, with a new key that binds the tokens.
 * @see https://atproto.com/specs/oauth
 */
export const begin: ConsentPage["begin"] = async (fetch, start, app) => {
  const client = clientOf(start);
  if (!client.ok) return client;
  const entrance = await findEntrance(fetch, start.identifier);
  if (!entrance.ok) return refuse(toConsentRefusal(entrance.error));
  const { server, account, hint } = entrance.value;
  const { id: clientId, redirectUri } = client.value;
  const session: Session = {
    issuer: server.issuer,
    tokenEndpoint: server.token_endpoint,
    revocationEndpoint: server.revocation_endpoint ?? "",
    clientId,
    keyId: keyIdOf(clientId, app),
    dpopKey: await createProofKey(),
  };
  const params = {
    response_type: "code",
    redirect_uri: redirectUri,
    scope: SCOPE,
    state: start.state,
    code_challenge: await challengeOf(start.verifier),
    code_challenge_method: "S256",
    ...(hint === null ? {} : { login_hint: hint }),
  };
  try {
    const requestUri = await pushRequest(fetch, server, session, app, params);
    return ok({
      url: consentUrl(server.authorization_endpoint, {
        client_id: clientId,
        request_uri: requestUri,
      }),
      memory: { ...session, ...account },
    });
  } catch (error) {
    return refuse(explainServer(error, clientId));
  }
};

async function pushRequest(
  fetch: Fetch,
  server: AuthorizationServer,
  session: Session,
  app: AppKeys,
  params: Record<string, string>,
): Promise<string> {
  const { as, client, auth, options } = await callerOf(fetch, session, app);
  const { pushed_authorization_request_endpoint } = server;
  const full = { ...as, pushed_authorization_request_endpoint };
  const { request_uri } = await withNonce(async () =>
    oauth.processPushedAuthorizationResponse(
      full,
      client,
      await oauth.pushedAuthorizationRequest(full, client, auth, params, options),
    ),
  );
  return request_uri;
}

export const finish: ConsentPage["finish"] = async (fetch, back, app) => {
  const refused = refusedConsent(back.query, "Bluesky");
  if (refused) return refuse(refused);
  const client = clientOf(back);
  if (!client.ok) return client;
  const { did, pds, ...rest } = back.memory;
  const session = rest as Record<keyof Session, string>;
  let tokens: Awaited<ReturnType<typeof exchangeCode>>;
  try {
    const caller = await callerOf(fetch, session, app);
    const { redirectUri } = client.value;
    tokens = await exchangeCode(caller, session, { ...back, redirectUri });
  } catch (error) {
    return refuse(explainServer(error, session.clientId));
  }
  const { credentials, scopes } = tokens;
  const expected = did && pds ? { did, pds } : null;
  const granted = await findGranted(fetch, credentials, tokens.did, expected, session.issuer);
  if (granted.ok) return ok({ accounts: [granted.value], scopes });
  await revokeGrant(fetch, credentials, app).catch(() => {});
  return granted;
};

async function findGranted(
  fetch: Fetch,
  credentials: Credentials,
  did: string | null,
  expected: Home | null,
  issuer: string,
): Promise<Result<Grant["accounts"][number], ConsentRefusal>> {
  if (did === null) return consentRefusal("refused", "Bluesky did not say whose login it granted.");
  if (expected && did !== expected.did) {
    return consentRefusal(
      "refused",
      "You signed in as another account than the one whose handle you gave. Try again, with the handle of the account that is meant.",
    );
  }
  const home = expected ? ok(expected) : await resolveDid(fetch, did);
  if (!home.ok) return refuse(toConsentRefusal(home.error));
  if (!expected) {
    const own = await issuerOf(fetch, home.value.pds);
    if (!own.ok) return refuse(toConsentRefusal(own.error));
    if (own.value !== issuer) {
      return consentRefusal("refused", "That server does not keep the account it named.");
    }
  }
  const account = await readAccount(fetch, credentials, home.value);
  return account.ok ? account : refuse(toConsentRefusal(account.error));
}
