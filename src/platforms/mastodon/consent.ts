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

const registered = z.object({ client_id: z.string().min(1), client_secret: z.string().min(1) });

/** @see https://docs.joinmastodon.org/methods/apps/#create */
const registerRequest = (server: string, scope: string, { redirectUri, origin }: Home): Request =>
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

const metadata = z.object({ issuer: z.string(), scopes_supported: z.array(z.string()) });

/** Mastodon has the document since 4.3. */
async function termsOf(fetch: Fetch, server: string): Promise<Pick<ServerApp, "issuer" | "scope">> {
  const path = "/.well-known/oauth-authorization-server";
  const reply = await readReply(await fetch(publicCall(server, path)), metadata);
  const known = reply.ok ? reply.value : null;
  const isOwn = known !== null && URL.parse(known.issuer)?.origin === server;
  const isNarrow = scopes.required.every((scope) => known?.scopes_supported.includes(scope));
  return {
    issuer: isOwn ? known.issuer : server,
    scope: (isNarrow ? scopes.required : WIDE_SCOPES).join(" "),
  };
}

type Home = Pick<ConsentStart, "redirectUri" | "origin">;

async function enter(
  fetch: Fetch,
  server: string,
  home: Home,
  isSecond = false,
): Promise<Result<ServerApp, ConsentRefusal>> {
  const known = await fetch(publicCall(server, "/api/v1/instance"));
  if (known.status >= 300 && known.status < 400) {
    await known.body?.cancel();
    const moved = URL.parse(known.headers.get("location") ?? "", server);
    if (moved && !isSecond && refusedUrl(moved) === null) {
      return enter(fetch, moved.origin, home, true);
    }
  }
  const about = await readInstanceReply(known);
  if (!about.ok) {
    const isDown = isTemporary(about.error) && known.status >= 408;
    return isDown
      ? consentRefusal("unavailable", `${server} has a problem: ${about.error.message}`)
      : consentRefusal("refused", `${server} is no server of Mastodon. Check the address.`);
  }
  const terms = await termsOf(fetch, server);
  const request = registerRequest(server, terms.scope, home);
  const app = await readReply(await fetch(request), registered);
  if (!app.ok) {
    const failure = isTemporary(app.error) ? "unavailable" : "refused";
    return consentRefusal(failure, `${server} made no app for this instance: ${app.error.message}`);
  }
  const { client_id: clientId, client_secret: clientSecret } = app.value;
  return ok({ server, clientId, clientSecret, ...terms });
}

/**
 * Registers an app at the account's own server. Servers without PKCE ignore its parameters.
 * @see https://docs.joinmastodon.org/methods/oauth/#authorize
 */
export const begin: ConsentPage["begin"] = async (fetch, start) => {
  const { identifier, redirectUri, origin, state, verifier } = start;
  const server = serverOf(identifier);
  if (server === null) {
    return consentRefusal(
      "refused",
      "Give the address of your account's server, such as mastodon.social.",
    );
  }
  const app = await enter(fetch, server, { redirectUri, origin });
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

const narrowed = (given: readonly string[]): string[] => [
  ...given,
  ...scopes.required.filter((scope) => given.includes(scope.replace(/:.*$/, ""))),
];

/** @see https://docs.joinmastodon.org/methods/oauth/#token */
export const finish: ConsentPage["finish"] = async (fetch, back) => {
  const { server, clientId, clientSecret, issuer } = back.memory as ServerApp;
  const own = { platform: "Mastodon", issuer, tokenEndpoint: `${server}/oauth/token` };
  const granted = await exchangeCode(fetch, { ...own, clientAuth: "body", hasPkce: true }, back, {
    clientId,
    clientSecret,
  });
  if (!granted.ok) return granted;
  const { credentials, scopes: given } = granted.value;
  const login = { ...credentials, extra: { clientId, clientSecret } };
  return toOwnGrant({ credentials: login, scopes: given && narrowed(given) }, scopes, (found) =>
    readAccount(fetch, server, found),
  );
};
