import { env } from "cloudflare:workers";
import * as oauth from "oauth4webapi";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Fetch } from "../../../src/platforms/connector.ts";
import { sandboxHandle } from "../../../src/sandbox/bluesky/identity.ts";
import { createSandboxFetch } from "../../../src/sandbox/fetch.ts";
import { unique, xrpc } from "../support.ts";

const START = new Date("2026-12-01T09:00:00.000Z");
const ISSUER = "https://bsky.social";
const CLIENT = "https://app.example.com/oauth/client-metadata.json";
const REDIRECT = "https://app.example.com/callback";
const SCOPE = "atproto transition:generic";

let fetch: Fetch;
let as: oauth.AuthorizationServer;
let keys: CryptoKeyPair;
let proofs: oauth.DPoPHandle;
let verifier: string;

/** The first call of a client is told the nonce. */
async function repeated<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!oauth.isDPoPNonceError(error)) throw error;
    return call();
  }
}

const client: oauth.Client = { client_id: CLIENT };
const options = (DPoP = proofs) => ({
  DPoP,
  [oauth.customFetch]: (url: string, init: object) => fetch(url, init as RequestInit),
});
const createProofs = async () => {
  keys = await oauth.generateKeyPair("ES256", { extractable: true });
  return oauth.DPoP(client, keys);
};

beforeEach(async () => {
  vi.useFakeTimers({ now: START, toFake: ["Date"] });
  fetch = createSandboxFetch(env.SANDBOX_STATE, {
    teamId: unique(),
    accountId: null,
    uploadId: null,
  });
  const reply = await fetch(`${ISSUER}/.well-known/oauth-authorization-server`);
  as = await oauth.processDiscoveryResponse(new URL(ISSUER), reply);
  proofs = await createProofs();
  verifier = oauth.generateRandomCodeVerifier();
});
afterEach(() => vi.useRealTimers());

async function push(change: Record<string, string> = {}, auth = oauth.None()): Promise<string> {
  const asked = {
    response_type: "code",
    redirect_uri: REDIRECT,
    scope: SCOPE,
    state: "the state",
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    ...change,
  };
  const { request_uri } = await repeated(async () =>
    oauth.processPushedAuthorizationResponse(
      as,
      client,
      await oauth.pushedAuthorizationRequest(as, client, auth, asked, options()),
    ),
  );
  return request_uri;
}

const pageOf = (requestUri: string, id = CLIENT) =>
  `${ISSUER}/oauth/authorize?${new URLSearchParams({ client_id: id, request_uri: requestUri })}`;

/** A person agrees; returns the parameters of the callback. */
async function agree(requestUri: string, name: string): Promise<URLSearchParams> {
  const body = new URLSearchParams({ name, decision: "allow" });
  for (const scope of SCOPE.split(" ")) body.append("scope", scope);
  const reply = await fetch(pageOf(requestUri), { method: "POST", body, redirect: "manual" });
  expect(reply.status).toBe(302);
  return new URL(reply.headers.get("location") ?? "").searchParams;
}

async function exchange(query: URLSearchParams, change: { uri?: string; verifier?: string } = {}) {
  const callback = oauth.validateAuthResponse(as, client, query, "the state");
  const { uri = REDIRECT, verifier: own = verifier } = change;
  return repeated(async () =>
    oauth.processAuthorizationCodeResponse(
      as,
      client,
      await oauth.authorizationCodeGrantRequest(
        as,
        client,
        oauth.None(),
        callback,
        uri,
        own,
        options(),
      ),
    ),
  );
}

const logIn = async () => exchange(await agree(await push(), `Person ${unique()}`));

const refresh = (token: string, handle = proofs) =>
  repeated(async () =>
    oauth.processRefreshTokenResponse(
      as,
      client,
      await oauth.refreshTokenGrantRequest(as, client, oauth.None(), token, options(handle)),
    ),
  );

const session = (token: string, handle = proofs) =>
  repeated(() =>
    oauth.protectedResourceRequest(
      token,
      "GET",
      new URL(xrpc("com.atproto.server.getSession")),
      undefined,
      undefined,
      options(handle),
    ),
  );

const refusalOf = (call: Promise<unknown>) =>
  call.then(
    () => "",
    (error: oauth.ResponseBodyError | oauth.WWWAuthenticateChallengeError) =>
      error instanceof oauth.WWWAuthenticateChallengeError
        ? `${error.cause[0]?.parameters.error}: ${error.cause[0]?.parameters.error_description}`
        : `${error.error}: ${error.error_description}`,
  );

describe("a login by consent", () => {
  test("opens the account, in the scopes that were agreed to", async () => {
    const tokens = await logIn();
    expect(tokens).toMatchObject({ token_type: "dpop", scope: SCOPE });
    const reply = await session(tokens.access_token);
    expect(await reply.json()).toMatchObject({ did: tokens.sub });
  });

  test("tells whom it asked in the callback", async () => {
    const query = await agree(await push(), "Ada");
    expect(query.get("iss")).toBe(ISSUER);
    expect(query.get("state")).toBe("the state");
  });

  test("ends when its refresh token is used a second time", async () => {
    const tokens = await logIn();
    const renewed = await refresh(tokens.refresh_token ?? "");
    expect(await refusalOf(refresh(tokens.refresh_token ?? ""))).toBe(
      "invalid_grant: Refresh token replayed",
    );
    expect(await refusalOf(refresh(renewed.refresh_token ?? ""))).toBe(
      "invalid_grant: Invalid refresh token",
    );
  });

  test("ends when another key asks for its renewal", async () => {
    const tokens = await logIn();
    const other = await createProofs();
    expect(await refusalOf(refresh(tokens.refresh_token ?? "", other))).toBe(
      "invalid_grant: DPoP proof does not match the expected JKT",
    );
    expect(await refusalOf(refresh(tokens.refresh_token ?? ""))).toBe(
      "invalid_grant: Invalid refresh token",
    );
  });

  test("ends when its code is used a second time", async () => {
    const query = await agree(await push(), "Ada");
    const tokens = await exchange(query);
    expect(await refusalOf(exchange(query))).toBe("invalid_grant: Invalid code");
    expect(await refusalOf(refresh(tokens.refresh_token ?? ""))).toContain("Invalid refresh token");
  });

  test("ends after two weeks without a key of the app, renewed or not", async () => {
    let { refresh_token } = await logIn();
    for (const days of [7, 6]) {
      vi.setSystemTime(Date.now() + days * 86_400_000);
      ({ refresh_token } = await refresh(refresh_token ?? ""));
    }
    vi.setSystemTime(Date.now() + 86_400_000);
    expect(await refusalOf(refresh(refresh_token ?? ""))).toBe("invalid_grant: Session expired");
  });

  test("is revoked by whoever proves to have its key, and by nobody else", async () => {
    const tokens = await logIn();
    const token = tokens.refresh_token ?? "";
    const { DPoP: _, ...unproven } = options();
    const plain = await oauth.revocationRequest(as, client, oauth.None(), token, unproven);
    expect(plain.status).toBe(200);
    const { refresh_token = "" } = await refresh(token);
    const proven = await oauth.genericTokenEndpointRequest(
      { ...as, token_endpoint: as.revocation_endpoint ?? "" },
      client,
      oauth.None(),
      "refresh_token",
      { token: refresh_token },
      options(),
    );
    expect(proven.status).toBe(200);
    expect(await refusalOf(refresh(refresh_token))).toContain("Invalid refresh token");
  });
});

describe("a code is refused", () => {
  test.each([
    ["after five minutes", 300, {}, "This code has expired"],
    [
      "for another address",
      0,
      { uri: `${REDIRECT}/other` },
      "The redirect_uri parameter must match",
    ],
    ["with another verifier", 0, { verifier: "v".repeat(43) }, "Invalid code_verifier"],
  ])("%s", async (_, seconds, change, words) => {
    const query = await agree(await push(), "Ada");
    vi.setSystemTime(Date.now() + seconds * 1_000);
    expect(await refusalOf(exchange(query, change))).toContain(`invalid_grant: ${words}`);
  });
});

describe("a request is refused", () => {
  test.each([
    [
      "an unknown scope",
      { scope: "atproto openid" },
      'invalid_scope: Scope "openid" is not declared',
    ],
    [
      "without atproto",
      { scope: "transition:generic" },
      'invalid_scope: The "atproto" scope is required',
    ],
    ["plain PKCE", { code_challenge_method: "plain" }, "invalid_request: atproto requires use of"],
    [
      "plain http",
      { redirect_uri: "http://app.example.com/" },
      "invalid_request: Invalid redirect_uri",
    ],
    ["an email address", { login_hint: "a@example.com" }, "invalid_request: Invalid login_hint"],
  ])("%s", async (_, change, words) => {
    expect(await refusalOf(push(change))).toContain(words);
  });

  test("with an assertion without the id of its key, or one that was used", async () => {
    const { privateKey } = await oauth.generateKeyPair("ES256");
    expect(await refusalOf(push({}, oauth.PrivateKeyJwt(privateKey)))).toContain('"kid" required');
    const once = oauth.PrivateKeyJwt(
      { key: privateKey, kid: "k1" },
      {
        [oauth.modifyAssertion]: (_, claims) => {
          claims.jti = "the same";
        },
      },
    );
    await push({}, once).catch(() => {});
    expect(await refusalOf(push({}, once))).toContain("jti reused");
  });

  test("on the page: of nobody, of another app, used, and too old", async () => {
    expect((await fetch(pageOf("urn:none"))).status).toBe(400);
    const uri = await push();
    expect((await fetch(pageOf(uri, "https://other.example.com/app.json"))).status).toBe(400);
    expect((await fetch(pageOf(uri))).status).toBe(200);
    vi.setSystemTime(Date.now() + 300_000);
    expect((await fetch(pageOf(uri))).status).toBe(400);
  });
});

describe("a call to the account's server", () => {
  test("is refused without a proof, and as one by password", async () => {
    const { access_token } = await logIn();
    const get = (authorization: string) =>
      fetch(xrpc("com.atproto.server.getSession"), { headers: { authorization } });
    const unproven = await get(`DPoP ${access_token}`);
    expect(unproven.status).toBe(401);
    expect(await unproven.json()).toMatchObject({ error: "invalid_dpop_proof" });
    expect((await get(`Bearer ${access_token}`)).status).toBe(400);
  });

  test("is answered without a nonce where it needs no login", async () => {
    const nonceOf = async (method: string) =>
      (await fetch(xrpc(method), { headers: { dpop: "a proof" } })).headers.get("dpop-nonce");
    expect(await nonceOf("com.atproto.server.getSession")).not.toBeNull();
    expect(await nonceOf("com.atproto.repo.getRecord")).toBeNull();
  });

  test("is refused with another key", async () => {
    const { access_token } = await logIn();
    expect(await refusalOf(session(access_token, await createProofs()))).toContain("key binding");
  });

  test("is refused once the token has ended", async () => {
    const { access_token } = await logIn();
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(await refusalOf(session(access_token))).toContain("invalid_token: Token expired");
  });

  test("wants another nonce after three minutes, and each proof once", async () => {
    const { access_token } = await logIn();
    await session(access_token);
    const seen: Headers[] = [];
    const url = new URL(xrpc("com.atproto.server.getSession"));
    const get = () =>
      oauth.protectedResourceRequest(access_token, "GET", url, undefined, undefined, {
        DPoP: proofs,
        [oauth.customFetch]: (to, init) => {
          seen.push(new Headers(init.headers));
          return fetch(to, init as RequestInit);
        },
      });
    await get();
    const again = await fetch(url, { headers: seen[0] ?? new Headers() });
    expect(await again.json()).toMatchObject({ message: "DPoP proof replayed" });
    vi.setSystemTime(Date.now() + 200_000);
    expect(await refusalOf(get())).toContain("use_dpop_nonce");
    expect((await get()).status).toBe(200);
  });

  test("is refused where the person left that permission out", async () => {
    const uri = await push();
    const body = new URLSearchParams({ name: "Ada", decision: "allow" });
    const reply = await fetch(pageOf(uri), { method: "POST", body, redirect: "manual" });
    const tokens = await exchange(new URL(reply.headers.get("location") ?? "").searchParams);
    expect(tokens.scope).toBe("atproto");
    const url = new URL(xrpc("com.atproto.server.getServiceAuth"));
    url.searchParams.set("aud", "did:web:video.bsky.app");
    const call = () =>
      oauth.protectedResourceRequest(
        tokens.access_token,
        "GET",
        url,
        undefined,
        undefined,
        options(),
      );
    const refused = await repeated(call);
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ error: "ScopeMissingError" });
  });
});

test("the sign-in may begin with an account's handle", async () => {
  const hint = sandboxHandle("Ada");
  const page = await fetch(pageOf(await push({ login_hint: hint })));
  expect(await page.text()).toContain(`value="${hint}"`);
});
