import { describe, expect, test } from "vitest";
import { mastodon } from "../../../src/platforms/mastodon/index.ts";
import { error, json, SERVER, scriptedFetch } from "./scripted.ts";

const HERE = "https://akimbo.test";
const START = {
  state: "s",
  redirectUri: `${HERE}/oauth/callback/mastodon`,
  verifier: "v".repeat(43),
  identifier: "mastodon.test",
  origin: HERE,
};
const NO_APP = { clientId: "", clientSecret: "" };

const INSTANCE = "GET /api/v1/instance";
const METADATA = "GET /.well-known/oauth-authorization-server";
const APPS = "POST /api/v1/apps";
const NARROW = ["read:accounts", "read:statuses", "write:media", "write:statuses"];

const app = () => json({ client_id: "id", client_secret: "secret" });
const metadata = (scopes_supported: string[]) => json({ issuer: `${SERVER}/`, scopes_supported });

function begin(script: Parameters<typeof scriptedFetch>[0], identifier: string | null) {
  const network = scriptedFetch(script);
  const begun = mastodon.consent?.begin(network.fetch, { ...START, identifier }, NO_APP);
  return { begun, calls: network.calls };
}

test.each([
  ["says which scopes it knows", () => metadata(["read", "write", ...NARROW]), NARROW.join(" ")],
  ["knows the wide ones alone", () => metadata(["read", "write", "follow", "push"]), "read write"],
  ["says nothing of scopes", () => error(404, "Not found"), "read write"],
])("an app is registered at the server, which %s", async (_, terms, scope) => {
  const script = {
    [INSTANCE]: [json({ version: "4.5.0" })],
    [METADATA]: [terms()],
    [APPS]: [app()],
  };
  const { begun, calls } = begin(script, "mastodon.test");
  const consent = await begun;
  if (!consent?.ok) throw new Error("refused");
  expect(calls.find(({ path }) => path === APPS)?.json).toEqual({
    client_name: "Akimbo",
    redirect_uris: START.redirectUri,
    scopes: scope,
    website: HERE,
  });
  const url = new URL(consent.value.url);
  expect(url.origin + url.pathname).toBe(`${SERVER}/oauth/authorize`);
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    client_id: "id",
    scope,
    state: "s",
    code_challenge_method: "S256",
  });
});

describe("an app that an earlier login has", () => {
  const TOKEN = "POST /oauth/token";
  const earlier = {
    clientId: "old",
    clientSecret: "kept",
    redirectUri: START.redirectUri,
    scope: "read write",
  };

  test.each<[string, Record<string, string> | null, Response, string]>([
    ["is taken again", earlier, json({ access_token: "app" }), "old"],
    ["is taken where it cannot be asked about", earlier, error(400, "unsupported"), "old"],
    ["is replaced when the server forgot it", earlier, error(401, "invalid_client"), "id"],
    ["is of no use at another address", { ...earlier, redirectUri: "x" }, json({}), "id"],
    ["is of no use with other permissions", { ...earlier, scope: "read" }, json({}), "id"],
    ["may not be there", null, json({}), "id"],
  ])("%s", async (_, extra, answer, clientId) => {
    const { fetch } = scriptedFetch({
      [INSTANCE]: [json({})],
      [METADATA]: [error(404, "")],
      [TOKEN]: [answer],
      [APPS]: [app()],
    });
    const start = { ...START, earlierLogin: async () => extra };
    const begun = await mastodon.consent?.begin(fetch, start, NO_APP);
    expect(begun).toMatchObject({ ok: true, value: { memory: { clientId } } });
  });
});

test("a server that hides itself from strangers is no stranger's site", async () => {
  const script = {
    [INSTANCE]: [error(401, "This method requires an authenticated user")],
    [METADATA]: [error(404, "")],
    [APPS]: [app()],
  };
  expect(await begin(script, "mastodon.test").begun).toMatchObject({ ok: true });
});

test.each<[string, string]>([
  ["https://mastodon.test/", SERVER],
  ["@ada@mastodon.test", SERVER],
  ["ada@mastodon.test", SERVER],
  ["https://mastodon.test/@ada", SERVER],
])("%s names its server", async (written, server) => {
  const script = { [INSTANCE]: [json({})], [METADATA]: [error(404, "")], [APPS]: [app()] };
  const consent = await begin(script, written).begun;
  if (!consent?.ok) throw new Error("refused");
  expect(consent.value.memory?.server).toBe(server);
});

test("a server that has moved is followed once, and only to a public address", async () => {
  const moved = (location: string) => new Response(null, { status: 301, headers: { location } });
  const script = {
    [INSTANCE]: [moved("https://social.test/api/v1/instance"), json({})],
    [METADATA]: [error(404, "")],
    [APPS]: [app()],
  };
  const consent = await begin(script, "mastodon.test").begun;
  expect(consent).toMatchObject({ ok: true, value: { memory: { server: "https://social.test" } } });
  for (const location of ["https://127.0.0.1/", "http://social.test/", "https://10.0.0.1/x"]) {
    const refused = await begin({ [INSTANCE]: [moved(location)] }, "mastodon.test").begun;
    expect(refused).toMatchObject({ ok: false, error: { failure: "refused" } });
  }
});

test.each([
  ["a private address", "127.0.0.1", {}, "Give the address"],
  ["a bare word", "mastodon", {}, "Give the address"],
  [
    "another site",
    "example.com",
    { [INSTANCE]: [new Response("<html>")] },
    "no server of Mastodon",
  ],
  [
    "a server that has had enough of apps",
    "mastodon.test",
    {
      [INSTANCE]: [json({})],
      [METADATA]: [error(404, "")],
      [APPS]: [error(429, "Too many requests")],
    },
    "Too many requests",
  ],
])("%s is refused in words", async (_, identifier, script, words) => {
  const refused = await begin(script, identifier).begun;
  expect(refused).toMatchObject({ ok: false, error: { message: expect.stringContaining(words) } });
});

test("the login knows its server, its limits and its app", async () => {
  const { fetch, calls } = scriptedFetch({
    "POST /oauth/token": [json({ access_token: "new", token_type: "Bearer", scope: "read write" })],
    "GET /api/v1/accounts/verify_credentials": [
      json({ id: "7", username: "ada", display_name: "", avatar: "https://cdn.test/a.png" }),
    ],
    "GET /api/v2/instance": [
      json({ configuration: { statuses: { max_characters: 5_000, max_media_attachments: 6 } } }),
    ],
  });
  const memory = {
    server: SERVER,
    issuer: SERVER,
    clientId: "id",
    clientSecret: "secret",
    scope: "",
  };
  const query = new URLSearchParams({ code: "c", state: "s" });
  const granted = await mastodon.consent?.finish(fetch, { ...START, query, memory }, NO_APP);
  expect(granted).toMatchObject({
    ok: true,
    value: {
      accounts: [
        {
          profile: {
            platformAccountId: "7@mastodon.test",
            accountName: "ada",
            handle: "ada@mastodon.test",
            service: SERVER,
            serverLimits: { postCharacters: 5_000, maxFiles: 6 },
          },
          credentials: {
            accessToken: "new",
            refreshToken: null,
            expiresAt: null,
            extra: { clientId: "id", clientSecret: "secret", redirectUri: START.redirectUri },
          },
        },
      ],
      scopes: expect.arrayContaining(NARROW),
    },
  });
  expect(calls.every(({ url }) => url.startsWith(SERVER))).toBe(true);
});
