import { expect, test } from "vitest";
import { didDocumentUrl, pdsOf } from "../../../src/platforms/bluesky/identity.ts";
import { bluesky } from "../../../src/platforms/bluesky/index.ts";
import type { Fetch } from "../../../src/platforms/connector.ts";
import type { Credentials, LoginValues } from "../../../src/platforms/login.ts";
import { DID, json, PDS, scriptedFetch, xrpcError } from "./scripted.ts";

const PASSWORD = "abcd-efgh-ijkl-mnop";
const OWN_PDS = "https://pds.example.com";
const PLC = `https://plc.directory/${DID}`;

/** Unsigned: only its server checks the signature. */
const jwt = (claims: object) =>
  `eyJhbGciOiJIUzI1NiJ9.${btoa(JSON.stringify(claims)).replaceAll("=", "").replaceAll("+", "-").replaceAll("/", "_")}.c2ln`;

/** 2026-12-01T11:00:00Z */
const ACCESS = jwt({ sub: DID, exp: 1_796_122_800, scope: "com.atproto.appPass" });

const didDoc = (endpoint: string, did = DID) => ({
  "@context": ["https://www.w3.org/ns/did/v1"],
  id: did,
  alsoKnownAs: ["at://alice.example.com"],
  service: [
    {
      id: "#bsky_notif",
      type: "BskyNotificationService",
      serviceEndpoint: "https://n.example.com",
    },
    { id: "#atproto_pds", type: "AtprotoPersonalDataServer", serviceEndpoint: endpoint },
  ],
});

const session = (change: object = {}) => ({
  accessJwt: ACCESS,
  refreshJwt: "refresh-token",
  did: DID,
  handle: "alice.example.com",
  didDoc: didDoc(PDS),
  email: "alice@example.com",
  emailConfirmed: true,
  active: true,
  ...change,
});

const profile = () =>
  json({
    did: DID,
    handle: "alice.example.com",
    displayName: "Alice",
    avatar: "https://cdn.bsky.app/img/avatar/plain/did/cid@jpeg",
    followersCount: 3,
  });

const login = (fetch: Fetch, change: LoginValues = {}) => {
  const [form] = bluesky.logins ?? [];
  if (!form) throw new Error("Bluesky has a login.");
  return form.connect(fetch, {
    identifier: "alice.example.com",
    appPassword: PASSWORD,
    ...change,
  });
};

const account = { platformAccountId: DID, handle: "alice.example.com", service: PDS };
const credentials = (change: Partial<Credentials> = {}): Credentials => ({
  accessToken: ACCESS,
  refreshToken: "refresh-token",
  expiresAt: null,
  ...change,
});

test("logs in by handle: account, server, session and looks", async () => {
  const { fetch, calls } = scriptedFetch({
    "com.atproto.identity.resolveHandle": [json({ did: DID })],
    [PLC]: [json(didDoc(PDS))],
    "com.atproto.server.createSession": [json(session())],
    "app.bsky.actor.getProfile": [profile()],
  });
  expect(await login(fetch, { identifier: " @Alice.example.com " })).toEqual({
    ok: true,
    value: {
      profile: {
        platformAccountId: DID,
        accountName: "Alice",
        handle: "alice.example.com",
        profileImageUrl: "https://cdn.bsky.app/img/avatar/plain/did/cid@jpeg",
        service: PDS,
      },
      credentials: {
        accessToken: ACCESS,
        refreshToken: "refresh-token",
        expiresAt: new Date("2026-12-01T11:00:00Z"),
        refreshEndsAt: null,
      },
    },
  });
  expect(calls.map((call) => new URL(call.url).origin + new URL(call.url).pathname)).toEqual([
    "https://public.api.bsky.app/xrpc/com.atproto.identity.resolveHandle",
    PLC,
    "https://bsky.social/xrpc/com.atproto.server.createSession",
    "https://public.api.bsky.app/xrpc/app.bsky.actor.getProfile",
  ]);
  expect(calls[2]?.json).toEqual({ identifier: "alice.example.com", password: PASSWORD });
  expect(calls.every((call) => call.redirect === "manual")).toBe(true);
});

test("logs in at the account's own server", async () => {
  const { fetch, calls } = scriptedFetch({
    [PLC]: [json(didDoc(`${OWN_PDS}/`))],
    "com.atproto.server.createSession": [json(session({ didDoc: undefined }))],
    "app.bsky.actor.getProfile": [xrpcError(400, "InvalidRequest", "Profile not found")],
  });
  const connected = await login(fetch, { identifier: DID });
  expect(connected).toMatchObject({
    ok: true,
    value: {
      profile: { accountName: "alice.example.com", profileImageUrl: null, service: OWN_PDS },
    },
  });
  expect(calls[1]?.url).toBe(`${OWN_PDS}/xrpc/com.atproto.server.createSession`);
});

test("finds the server of a did:web on its own host", async () => {
  const did = "did:web:alice.example.com";
  const { fetch } = scriptedFetch({
    "https://alice.example.com/.well-known/did.json": [json(didDoc(OWN_PDS, did))],
    "com.atproto.server.createSession": [json(session({ did, didDoc: didDoc(OWN_PDS, did) }))],
    "app.bsky.actor.getProfile": [profile()],
  });
  expect(await login(fetch, { identifier: did })).toMatchObject({
    ok: true,
    value: { profile: { platformAccountId: did, service: OWN_PDS } },
  });
});

test("sends an email address to the entryway and takes the server from the account's document", async () => {
  const { fetch, calls } = scriptedFetch({
    "com.atproto.server.createSession": [json(session({ didDoc: didDoc(OWN_PDS) }))],
    [PLC]: [json(didDoc(PDS))],
    "app.bsky.actor.getProfile": [new TypeError("Network connection lost.")],
  });
  expect(await login(fetch, { identifier: "alice@example.com" })).toMatchObject({
    ok: true,
    value: { profile: { accountName: "alice.example.com", service: PDS } },
  });
  expect(calls[0]?.url).toBe("https://bsky.social/xrpc/com.atproto.server.createSession");
});

test.each(["http://127.0.0.1/", "https://10.0.0.1", "http://pds.example.com", "not a URL", 7])(
  "does not send posts to the server %j that a document names",
  async (endpoint) => {
    const { fetch } = scriptedFetch({
      "com.atproto.server.createSession": [json(session())],
      [PLC]: [json(didDoc(String(endpoint)))],
    });
    expect(await login(fetch, { identifier: "alice@example.com" })).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining("does not keep the account"), final: true },
    });
  },
);

test("stays with the server it is given and asks nobody but the directory", async () => {
  const { fetch, calls } = scriptedFetch({
    "com.atproto.server.createSession": [json(session())],
    [PLC]: [json(didDoc("http://localhost:2583"))],
  });
  expect(await login(fetch, { service: "http://localhost:2583/" })).toMatchObject({
    ok: true,
    value: { profile: { accountName: "alice.example.com", service: "http://localhost:2583" } },
  });
  expect(calls.map((call) => call.url)).toEqual([
    "http://localhost:2583/xrpc/com.atproto.server.createSession",
    PLC,
  ]);
});

test.each(["hunter2", "abcd-efgh-ijkl", "ABCD-EFGH-IJKL-MNOP", "abcdefghijklmnop", ""])(
  "refuses the password %j, which is no app password, without sending it",
  async (appPassword) => {
    const { fetch, calls } = scriptedFetch();
    expect(await login(fetch, { appPassword })).toEqual({
      ok: false,
      error: {
        message:
          "appPassword must look like xxxx-xxxx-xxxx-xxxx: create an app password in Bluesky under Settings, Privacy and security, App passwords.",
        final: true,
      },
    });
    expect(calls).toEqual([]);
  },
);

test.each(["", "alice", "alice.example.com/x", "did:key:zQ3sh", "did:web:127.0.0.1", "did:plc:x"])(
  "refuses the identifier %j without a call",
  async (identifier) => {
    const { fetch, calls } = scriptedFetch();
    expect(await login(fetch, { identifier })).toMatchObject({ ok: false, error: { final: true } });
    expect(calls).toEqual([]);
  },
);

test("drops the marks of text direction that a copied handle carries", async () => {
  const { fetch, calls } = scriptedFetch({
    "com.atproto.server.createSession": [json(session())],
  });
  await login(fetch, { identifier: "\u202A@alice.example.com\u202C", service: OWN_PDS });
  expect(calls[0]?.json).toMatchObject({ identifier: "alice.example.com" });
});

test.each<[string, Record<string, Response[]>, string, boolean]>([
  [
    "a handle that nobody has",
    {
      "com.atproto.identity.resolveHandle": [
        xrpcError(400, "InvalidRequest", "Unable to resolve handle"),
      ],
    },
    "No Bluesky account has the handle alice.example.com; check its spelling.",
    true,
  ],
  [
    "a directory that is down",
    { "com.atproto.identity.resolveHandle": [new Response("", { status: 502 })] },
    "Bluesky answered HTTP 502.",
    false,
  ],
  [
    "an account without a document",
    {
      "com.atproto.identity.resolveHandle": [json({ did: DID })],
      [PLC]: [json({ message: "DID not registered" }, 404)],
    },
    `No Bluesky account has the DID ${DID}.`,
    true,
  ],
  [
    "a document of another account",
    {
      "com.atproto.identity.resolveHandle": [json({ did: DID })],
      [PLC]: [json(didDoc(PDS, "did:plc:somebodyelse"))],
    },
    `The DID document of ${DID} names no usable server.`,
    true,
  ],
  [
    "a server in a private network",
    {
      "com.atproto.identity.resolveHandle": [json({ did: DID })],
      [PLC]: [json(didDoc("https://192.168.0.1"))],
    },
    `The DID document of ${DID} names no usable server.`,
    true,
  ],
])("refuses %s", async (_, script, message, final) => {
  expect(await login(scriptedFetch(script).fetch)).toMatchObject({
    ok: false,
    error: { message, final },
  });
});

test.each<[string, Response, string, boolean]>([
  [
    "a wrong password",
    xrpcError(401, "AuthenticationRequired", "Invalid identifier or password"),
    "Invalid identifier or password",
    true,
  ],
  [
    "a missing sign-in code",
    xrpcError(401, "AuthFactorTokenRequired", "A sign in code has been sent to your email address"),
    "Bluesky has mailed you a sign-in code; send it as authFactorToken and try again.",
    true,
  ],
  [
    "an account that was taken down",
    xrpcError(401, "AccountTakedown", "Account has been taken down"),
    "Account has been taken down",
    true,
  ],
  [
    "a deactivated account",
    json(session({ active: false, status: "deactivated" })),
    "This Bluesky account is deactivated.",
    true,
  ],
  [
    "a server that is no PDS",
    new Response("", { status: 404 }),
    "Bluesky answered HTTP 404.",
    true,
  ],
  [
    "too many logins",
    xrpcError(429, "RateLimitExceeded", "Rate Limit Exceeded"),
    "Rate Limit Exceeded",
    false,
  ],
  ["an outage", new Response("<h1>", { status: 503 }), "Bluesky answered HTTP 503.", false],
  [
    "garbage",
    json({ accessJwt: 7 }),
    "Bluesky answered HTTP 200 with a body that cannot be read.",
    false,
  ],
])("explains %s", async (_, reply, message, final) => {
  const { fetch } = scriptedFetch({ "com.atproto.server.createSession": [reply] });
  expect(await login(fetch, { service: OWN_PDS })).toMatchObject({
    ok: false,
    error: { message, final },
  });
});

test("passes the mailed code on", async () => {
  const { fetch, calls } = scriptedFetch({ "com.atproto.server.createSession": [json(session())] });
  await login(fetch, { service: OWN_PDS, authFactorToken: " ABCDE-12345 " });
  expect(calls[0]?.json).toMatchObject({ authFactorToken: "ABCDE-12345" });
});

test("refuses a server that answers for another account", async () => {
  const { fetch } = scriptedFetch({
    [PLC]: [json(didDoc(OWN_PDS))],
    "com.atproto.server.createSession": [json(session({ did: "did:plc:victim" }))],
  });
  expect(await login(fetch, { identifier: DID })).toMatchObject({
    ok: false,
    error: { message: "The server answered with another account: did:plc:victim.", final: true },
  });
});

test.each<[string, string, string | null]>([
  ["not a JWT", "opaque", null],
  ["without exp", jwt({ sub: DID }), null],
  ["with an exp that is no number", jwt({ exp: "soon" }), null],
  ["with an exp beyond all dates", jwt({ exp: 1e300 }), null],
  ["with exp", ACCESS, "2026-12-01T11:00:00.000Z"],
])("reads when an access token %s runs out", async (_, accessJwt, expected) => {
  const { fetch } = scriptedFetch({
    "com.atproto.server.createSession": [json(session({ accessJwt }))],
  });
  const connected = await login(fetch, { service: OWN_PDS });
  expect(connected.ok && connected.value.credentials.expiresAt?.toISOString()).toBe(
    expected ?? undefined,
  );
});

test("has no handle for an account whose handle leads nowhere", async () => {
  const { fetch } = scriptedFetch({
    "com.atproto.server.createSession": [json(session({ handle: "handle.invalid" }))],
  });
  expect(await login(fetch, { service: OWN_PDS })).toMatchObject({
    value: { profile: { handle: null, accountName: DID } },
  });
});

test("identifies tokens at the server that is given", async () => {
  const { fetch, calls } = scriptedFetch({
    "com.atproto.server.getSession": [json({ did: DID, handle: "alice.example.com" })],
    [PLC]: [json(didDoc(OWN_PDS))],
  });
  expect(await bluesky.identify(fetch, credentials(), { service: OWN_PDS, pageId: null })).toEqual({
    ok: true,
    value: {
      profile: {
        platformAccountId: DID,
        accountName: "alice.example.com",
        handle: "alice.example.com",
        profileImageUrl: null,
        service: OWN_PDS,
      },
      credentials: credentials({ expiresAt: new Date("2026-12-01T11:00:00Z") }),
    },
  });
  expect(calls.map((call) => [call.url, call.authorization])).toEqual([
    [`${OWN_PDS}/xrpc/com.atproto.server.getSession`, `Bearer ${ACCESS}`],
    [PLC, null],
  ]);
});

test("identifies tokens at the server of the account they name", async () => {
  const { fetch, calls } = scriptedFetch({
    [PLC]: [json(didDoc(OWN_PDS))],
    "com.atproto.server.getSession": [json({ did: DID, handle: "alice.example.com" })],
    "app.bsky.actor.getProfile": [profile()],
  });
  expect(
    await bluesky.identify(fetch, credentials(), { service: null, pageId: null }),
  ).toMatchObject({
    ok: true,
    value: { profile: { accountName: "Alice", service: OWN_PDS } },
  });
  expect(calls[1]?.url).toBe(`${OWN_PDS}/xrpc/com.atproto.server.getSession`);
});

test("identifies tokens that name nobody at the entryway", async () => {
  const { fetch, calls } = scriptedFetch({
    "com.atproto.server.getSession": [json(session())],
    [PLC]: [json(didDoc(PDS))],
    "app.bsky.actor.getProfile": [profile()],
  });
  expect(
    await bluesky.identify(fetch, credentials({ accessToken: "opaque" }), {
      service: null,
      pageId: null,
    }),
  ).toMatchObject({
    ok: true,
    value: { profile: { service: PDS } },
  });
  expect(calls[0]?.url).toBe("https://bsky.social/xrpc/com.atproto.server.getSession");
});

test.each<[Response, boolean]>([
  [xrpcError(400, "ExpiredToken", "Token has expired"), true],
  [xrpcError(401, "AuthMissing", "Authentication Required"), true],
  [new Response("", { status: 500 }), false],
])("refuses tokens that their server refuses, finally or not (case %#)", async (reply, final) => {
  const { fetch } = scriptedFetch({ "com.atproto.server.getSession": [reply] });
  expect(
    await bluesky.identify(fetch, credentials(), { service: PDS, pageId: null }),
  ).toMatchObject({
    ok: false,
    error: { final },
  });
});

test("refuses tokens whose own server answers for another account", async () => {
  const { fetch } = scriptedFetch({
    [PLC]: [json(didDoc(OWN_PDS))],
    "com.atproto.server.getSession": [json({ did: "did:plc:victim", handle: "v.example.com" })],
  });
  expect(
    await bluesky.identify(fetch, credentials(), { service: null, pageId: null }),
  ).toMatchObject({
    ok: false,
    error: { message: "The server answered with another account: did:plc:victim.", final: true },
  });
});

test.each<[string, Response | Error, boolean]>([
  ["another server", json(didDoc(OWN_PDS)), true],
  ["no server", json({ id: DID }), true],
  ["nobody: it is gone", json({ message: "DID not available" }, 410), true],
  ["nothing: the directory is down", new Response("", { status: 502 }), false],
])("renews no login, by password or consent, whose document names %s", async (_, reply, final) => {
  for (const extra of [{}, { extra: { dpopKey: "{}" } }]) {
    const { fetch, calls } = scriptedFetch({
      [PLC]: [reply instanceof Response ? reply.clone() : reply],
    });
    expect(await bluesky.refresh(fetch, credentials(extra), account, null)).toMatchObject({
      ok: false,
      error: { final },
    });
    expect(calls.map(({ url }) => url)).toEqual([PLC]);
  }
});

test("refreshes with the refresh token and keeps the new pair", async () => {
  const { fetch, calls } = scriptedFetch({
    [PLC]: [json(didDoc(PDS))],
    "com.atproto.server.refreshSession": [json(session({ refreshJwt: "next-refresh-token" }))],
  });
  expect(await bluesky.refresh(fetch, credentials(), account, null)).toEqual({
    ok: true,
    value: {
      accessToken: ACCESS,
      refreshToken: "next-refresh-token",
      expiresAt: new Date("2026-12-01T11:00:00Z"),
      refreshEndsAt: null,
    },
  });
  expect(calls[1]).toMatchObject({
    method: "POST",
    url: `${PDS}/xrpc/com.atproto.server.refreshSession`,
    authorization: "Bearer refresh-token",
    bytes: 0,
  });
});

test.each<[string, Response, boolean]>([
  ["a token that expired", xrpcError(400, "ExpiredToken", "Token has been revoked"), true],
  ["a token of another server", xrpcError(400, "InvalidToken", "Bad token scope"), true],
  ["an account that was taken down", xrpcError(401, "AccountTakedown", "Taken down"), true],
  ["an account that was deactivated", xrpcError(403, "AccountDeactivated", "Deactivated"), true],
  ["a session of a deactivated account", json(session({ active: false })), true],
  ["a session of another account", json(session({ did: "did:plc:other" })), true],
  ["too many calls", xrpcError(429, "RateLimitExceeded", "Rate Limit Exceeded"), false],
  ["an outage", xrpcError(502, "UpstreamFailure", "Upstream Failure"), false],
  ["a page of HTML", new Response("<h1>", { status: 401 }), false],
  ["garbage", json({ accessJwt: null }), false],
])("judges whether the login is lost when a refresh meets %s", async (_, reply, final) => {
  const { fetch } = scriptedFetch({
    [PLC]: [json(didDoc(PDS))],
    "com.atproto.server.refreshSession": [reply],
  });
  expect(await bluesky.refresh(fetch, credentials(), account, null)).toMatchObject({
    ok: false,
    error: { final },
  });
});

test("cannot refresh without a refresh token", async () => {
  const { fetch, calls } = scriptedFetch();
  expect(await bluesky.refresh(fetch, credentials({ refreshToken: null }), account, null)).toEqual({
    ok: false,
    error: {
      message: "This Bluesky login cannot be renewed; connect the account again.",
      final: true,
    },
  });
  expect(calls).toEqual([]);
});

test("leaves a lost connection to the caller", async () => {
  const lost = new TypeError("Network connection lost.");
  const { fetch } = scriptedFetch({
    [PLC]: [json(didDoc(PDS))],
    "com.atproto.server.refreshSession": [lost],
  });
  await expect(bluesky.refresh(fetch, credentials(), account, null)).rejects.toBe(lost);
});

test("ends the session whatever its server answers", async () => {
  const { fetch, calls } = scriptedFetch({
    "com.atproto.server.deleteSession": [xrpcError(400, "ExpiredToken", "Token has expired")],
  });
  await bluesky.revoke?.(fetch, credentials(), account, null);
  expect(calls).toMatchObject([
    { url: `${PDS}/xrpc/com.atproto.server.deleteSession`, authorization: "Bearer refresh-token" },
  ]);
});

test("has nothing to end without a refresh token", async () => {
  const { fetch, calls } = scriptedFetch();
  await bluesky.revoke?.(fetch, credentials({ refreshToken: null }), account, null);
  expect(calls).toEqual([]);
});

test.each([
  [DID, PLC],
  ["did:web:example.com", "https://example.com/.well-known/did.json"],
  ["did:web:localhost", null],
  ["did:web:10.0.0.1", null],
  ["did:web:example.com%3A8080", null],
  ["did:web:example.com:users:alice", null],
  ["did:plc:../../x", null],
  ["did:key:zQ3sh", null],
])("the document of %s lies at %s", (did, url) => {
  expect(didDocumentUrl(did)).toBe(url);
});

test.each<[string, unknown, string | null]>([
  ["by its short id", didDoc(PDS), PDS],
  [
    "by its full id",
    {
      service: [
        { id: `${DID}#atproto_pds`, type: "AtprotoPersonalDataServer", serviceEndpoint: PDS },
      ],
    },
    PDS,
  ],
  [
    "only of the right type",
    { service: [{ id: "#atproto_pds", type: "Other", serviceEndpoint: PDS }] },
    null,
  ],
  ["among entries that make no sense", { service: [null, 7, {}, ...didDoc(PDS).service] }, PDS],
  ["not without services", { id: DID }, null],
  ["not in null", null, null],
])("finds the server of a document %s", (_, document, expected) => {
  expect(pdsOf(document, DID)).toBe(expected);
});
