import * as z from "zod";
import { ok, type Result } from "../../core/result.ts";
import { refusedUrl } from "../../core/url-policy.ts";
import type { Fetch } from "../connector.ts";
import type { ConsentPage, ConsentRefusal, ConsentStart } from "../consent.ts";
import {
  challengeOf,
  consentRefusal,
  consentUrl,
  exchangeCode,
  toOwnGrant,
} from "../kit/consents.ts";
import { formRequest } from "../kit/logins.ts";
import type { AppKeys } from "../login.ts";
import { HEADERS, publicCall, readInstanceReply, readReply } from "./api.ts";
import { readAccount } from "./auth.ts";
import { scopes, WIDE_SCOPES } from "./capabilities.ts";
import { isTemporary } from "./failures.ts";
import { serverOf } from "./identity.ts";

/** The server's app for this instance, from `begin` to the end of the login. */
interface ServerApp extends Record<string, string> {
  server: string;
  clientId: string;
  clientSecret: string;
  issuer: string;
  scope: string;
}

const key = z.string().min(1).max(2_048);

const registered = z.object({ client_id: key, client_secret: key });

/** @see https://docs.joinmastodon.org/methods/apps/#create */
const registerRequest = (
  server: string,
  scope: string,
  { redirectUri, origin }: ConsentStart,
): Request =>
  new Request(`${server}/api/v1/apps`, {
    method: "POST",
    headers: { ...HEADERS, "content-type": "application/json" },
    body: JSON.stringify({
      client_name: "Akimbo",
      redirect_uris: redirectUri,
      scopes: scope,
      website: origin,
    }),
    redirect: "manual",
  });

const metadata = z.object({ issuer: z.string().max(2_048), scopes_supported: z.array(z.string()) });

/** Mastodon has the document since 4.3. */
async function termsOf(fetch: Fetch, server: string): Promise<Pick<ServerApp, "issuer" | "scope">> {
  const path = "/.well-known/oauth-authorization-server";
  const reply = await readReply(await fetch(publicCall(server, path)), metadata);
  const terms = reply.ok ? reply.value : null;
  const isOwn = terms !== null && URL.parse(terms.issuer)?.origin === server;
  const isNarrow = scopes.required.every((scope) => terms?.scopes_supported.includes(scope));
  return {
    issuer: isOwn ? terms.issuer : server,
    scope: (isNarrow ? scopes.required : WIDE_SCOPES).join(" "),
  };
}

/** Whether the address leads to a server, which may be another one. A server that hides itself from strangers counts. */
async function reach(
  fetch: Fetch,
  server: string,
  isMoved = false,
): Promise<Result<string, ConsentRefusal>> {
  const answer = await fetch(publicCall(server, "/api/v1/instance"));
  if (answer.status >= 300 && answer.status < 400) {
    await answer.body?.cancel();
    const target = URL.parse(answer.headers.get("location") ?? "", server);
    if (target && !isMoved && refusedUrl(target) === null) {
      return reach(fetch, target.origin, true);
    }
  }
  const instance = await readInstanceReply(answer);
  if (instance.ok || HIDDEN.has(answer.status)) return ok(server);
  return isTemporary(instance.error) && answer.status >= 408
    ? consentRefusal("unavailable", `${server} has a problem: ${instance.error.message}`)
    : consentRefusal("refused", `${server} is no server of Mastodon. Check the address.`);
}

const HIDDEN = new Set([401, 403]);

/** Servers let an address register few apps. Without a clear answer, the app is taken for good. */
async function knownApp(
  fetch: Fetch,
  server: string,
  scope: string,
  { redirectUri, earlierLogin }: ConsentStart,
): Promise<AppKeys | null> {
  const { clientId, clientSecret, ...earlier } = (await earlierLogin?.(server)) ?? {};
  if (!clientId || !clientSecret) return null;
  if (earlier.redirectUri !== redirectUri || earlier.scope !== scope) return null;
  const request = formRequest(`${server}/oauth/token`, {
    grant_type: "client_credentials",
    client_id: clientId,
    client_secret: clientSecret,
  });
  const reply = await fetch(request);
  await reply.body?.cancel();
  return reply.status === UNKNOWN_APP ? null : { clientId, clientSecret };
}

const UNKNOWN_APP = 401;

async function registerApp(
  fetch: Fetch,
  server: string,
  scope: string,
  start: ConsentStart,
): Promise<Result<AppKeys, ConsentRefusal>> {
  const app = await readReply(await fetch(registerRequest(server, scope, start)), registered);
  if (app.ok) return ok({ clientId: app.value.client_id, clientSecret: app.value.client_secret });
  const failure = isTemporary(app.error) ? "unavailable" : "refused";
  return consentRefusal(failure, `${server} made no app for this instance: ${app.error.message}`);
}

async function enter(
  fetch: Fetch,
  written: string,
  start: ConsentStart,
): Promise<Result<ServerApp, ConsentRefusal>> {
  const reached = await reach(fetch, written);
  if (!reached.ok) return reached;
  const server = reached.value;
  const { issuer, scope } = await termsOf(fetch, server);
  const known = await knownApp(fetch, server, scope, start);
  const app = known ? ok(known) : await registerApp(fetch, server, scope, start);
  if (!app.ok) return app;
  const { clientId, clientSecret } = app.value;
  return ok({ server, clientId, clientSecret, issuer, scope });
}

const NO_SERVER = "Give the address of your account's server, such as mastodon.social.";

export const refusedIdentifier = async (identifier: string | null): Promise<string | null> =>
  serverOf(identifier) === null ? NO_SERVER : null;

/**
 * By an app that this instance has at the account's own server. Servers without PKCE ignore its parameters.
 * @see https://docs.joinmastodon.org/methods/oauth/#authorize
 */
export const begin: ConsentPage["begin"] = async (fetch, start) => {
  const { identifier, redirectUri, state, verifier } = start;
  const server = serverOf(identifier);
  if (server === null) return consentRefusal("refused", NO_SERVER);
  const app = await enter(fetch, server, start);
  if (!app.ok) return app;
  return ok({
    url: consentUrl(`${app.value.server}/oauth/authorize`, {
      response_type: "code",
      client_id: app.value.clientId,
      redirect_uri: redirectUri,
      scope: app.value.scope,
      state,
      code_challenge: await challengeOf(verifier),
      code_challenge_method: "S256",
    }),
    memory: app.value,
  });
};

const narrowed = (allowed: readonly string[]): string[] => [
  ...allowed,
  ...scopes.required.filter((scope) => allowed.includes(scope.replace(/:.*$/, ""))),
];

/** @see https://docs.joinmastodon.org/methods/oauth/#token */
export const finish: ConsentPage["finish"] = async (fetch, back) => {
  const { server, clientId, clientSecret, issuer, scope } = back.memory as ServerApp;
  const own = { platform: "Mastodon", issuer, tokenEndpoint: `${server}/oauth/token` };
  const granted = await exchangeCode(fetch, { ...own, clientAuth: "body", hasPkce: true }, back, {
    clientId,
    clientSecret,
  });
  if (!granted.ok) return granted;
  const { credentials, scopes: allowed } = granted.value;
  const extra = { clientId, clientSecret, scope, redirectUri: back.redirectUri };
  const login = { ...credentials, extra };
  return toOwnGrant({ credentials: login, scopes: allowed && narrowed(allowed) }, scopes, (found) =>
    readAccount(fetch, server, found),
  );
};
