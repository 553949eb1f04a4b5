import { expect, test } from "vitest";
import { mastodon } from "../../../src/platforms/mastodon/index.ts";
import { later } from "../../support/network.ts";
import { ACCOUNT, error, json, SERVER, scriptedFetch } from "./scripted.ts";

const VERIFY = "GET /api/v1/accounts/verify_credentials";
const extra = { clientId: "id", clientSecret: "secret" };
const lasting = { accessToken: "token", refreshToken: null, expiresAt: null, extra };

test.each<[string, Response, object]>([
  ["stands", json({ id: "7", username: "ada" }), { ok: true, value: lasting }],
  [
    "was revoked",
    error(401, "The access token was revoked"),
    { ok: false, error: { final: true, isEnded: true } },
  ],
  ["is asked of a server that is down", error(503, "Down"), { ok: false, error: { final: false } }],
  [
    "is of an account that its server holds",
    error(403, "Your login is currently disabled"),
    { ok: false, error: { final: false } },
  ],
  ["is asked too often", error(429, "Too many requests"), { ok: false, error: { final: false } }],
])("a login without an end %s", async (_, reply, expected) => {
  const { fetch } = scriptedFetch({ [VERIFY]: [reply] });
  expect(await mastodon.refresh(fetch, lasting, ACCOUNT, null)).toMatchObject(expected);
});

test("a login with a refresh token, as of Pixelfed, is renewed by the app that it came from", async () => {
  const { fetch, calls } = scriptedFetch({
    "POST /oauth/token": [json({ access_token: "new", refresh_token: "next", expires_in: 60 })],
  });
  const ending = { ...lasting, refreshToken: "old", expiresAt: later(10) };
  expect(await mastodon.refresh(fetch, ending, ACCOUNT, null)).toMatchObject({
    ok: true,
    value: { accessToken: "new", refreshToken: "next", expiresAt: expect.any(Date), extra },
  });
  expect(Object.fromEntries(new URLSearchParams(calls[0]?.text))).toEqual({
    grant_type: "refresh_token",
    refresh_token: "old",
    client_id: "id",
    client_secret: "secret",
  });
});

test("tokens need the server that they are of", async () => {
  const { fetch, calls } = scriptedFetch();
  const nobody = { service: null, pageId: null };
  expect(await mastodon.identify(fetch, lasting, nobody)).toMatchObject({
    ok: false,
    error: { field: "service" },
  });
  expect(calls).toEqual([]);
});

test("tokens of a server on this machine are taken, where the instance lets its callers name it", async () => {
  const { fetch, calls } = scriptedFetch({
    [VERIFY]: [json({ id: "7", username: "ada" })],
    "GET /api/v2/instance": [json({})],
  });
  const service = "http://localhost:3000/";
  expect(await mastodon.identify(fetch, lasting, { service, pageId: null })).toMatchObject({
    ok: true,
    value: { profile: { service: "http://localhost:3000", platformAccountId: "7@localhost:3000" } },
  });
  expect(calls[0]?.url).toBe("http://localhost:3000/api/v1/accounts/verify_credentials");
});

test("a login is revoked at its server by its own app", async () => {
  const { fetch, calls } = scriptedFetch({ "POST /oauth/revoke": [json({})] });
  await mastodon.revoke?.(fetch, lasting, ACCOUNT, null);
  expect(calls[0]?.url).toBe(`${SERVER}/oauth/revoke`);
  await mastodon.revoke?.(fetch, { ...lasting, extra: {} }, ACCOUNT, null);
  expect(calls).toHaveLength(1);
});

test.each<[string, object, object | null]>([
  [
    "Mastodon",
    {
      configuration: {
        statuses: { max_characters: 500, characters_reserved_per_url: 23 },
        media_attachments: { image_size_limit: 16_777_216, supported_mime_types: ["image/png"] },
        polls: { max_options: 4, min_expiration: 300 },
      },
    },
    {
      postCharacters: 500,
      linkCharacters: 23,
      imageMaxBytes: 16_777_216,
      mimeTypes: ["image/png"],
      pollOptions: 4,
      pollMinSeconds: 300,
    },
  ],
  ["an older one", { max_toot_chars: 5_000 }, { postCharacters: 5_000 }],
  ["one with odd ones", { configuration: { statuses: { max_characters: "many" } } }, {}],
  ["one without", {}, {}],
])("the limits of %s", async (_, instance, limits) => {
  const { fetch } = scriptedFetch({ "GET /api/v2/instance": [json(instance)] });
  expect(await mastodon.readServerLimits?.(fetch, lasting, ACCOUNT)).toEqual(limits);
});

test("an edit repeats what it does not change, and takes nothing off", async () => {
  const { fetch, calls } = scriptedFetch({
    "GET /api/v1/statuses/11": [
      json({
        id: "11",
        created_at: "2026-12-01T09:00:00Z",
        spoiler_text: "Warning",
        sensitive: true,
        language: "de",
        media_attachments: [{ id: "5" }, { id: "6" }],
      }),
    ],
    "PUT /api/v1/statuses/11": [json({ id: "11" })],
  });
  const caller = { account: ACCOUNT, accessToken: "token", fetch, now: () => new Date() };
  const corrected = await mastodon.correction.calls?.correct(caller, "11", { description: "New" });
  expect(corrected).toEqual({ ok: true, value: null });
  expect(calls.at(-1)?.json).toEqual({
    status: "New",
    spoiler_text: "Warning",
    sensitive: true,
    language: "de",
    media_ids: ["5", "6"],
  });
});
