import { expect, test } from "vitest";
import { now } from "../../../src/core/clock.ts";
import { x } from "../../../src/platforms/x/index.ts";
import { data, problem, scriptedFetch } from "./scripted.ts";

const APP = { clientId: "key", clientSecret: "secret" };
const ACCOUNT = { platformAccountId: "1234", handle: "ada", service: null };
const CREDENTIALS = { accessToken: "access-1", refreshToken: "refresh-1", expiresAt: null };
const TOKEN = "POST /2/oauth2/token";
const ME = {
  id: "1234",
  name: "Ada L.",
  username: "ada",
  profile_image_url: "https://pbs.twimg.com/profile_images/1/a_normal.jpg",
};

const identify = async (answer: Response) => {
  const { fetch, calls } = scriptedFetch({ "GET /2/users/me": [answer] });
  return {
    connected: await x.identify(fetch, CREDENTIALS, { service: null, pageId: null }),
    calls,
  };
};

test("says whose tokens these are, with the whole picture", async () => {
  const { connected, calls } = await identify(data(ME));
  expect(connected).toEqual({
    ok: true,
    value: {
      profile: {
        platformAccountId: "1234",
        accountName: "Ada L.",
        handle: "ada",
        profileImageUrl: "https://pbs.twimg.com/profile_images/1/a.jpg",
        service: null,
      },
      credentials: CREDENTIALS,
    },
  });
  expect(calls).toMatchObject([
    {
      url: "https://api.x.com/2/users/me?user.fields=id,name,username,profile_image_url,subscription_type",
      headers: { authorization: "Bearer access-1" },
      redirect: "manual",
    },
  ]);
});

test("a bare profile has its username as name; an odd picture is none", async () => {
  const odd = { ...ME, name: " ", profile_image_url: "http://10.0.0.1/a" };
  expect((await identify(data(odd))).connected).toMatchObject({
    value: { profile: { accountName: "ada", profileImageUrl: null } },
  });
});

test.each([
  [401, true],
  [403, true],
  [429, false],
  [503, false],
])("a login refused with %i is final: %s", async (status, final) => {
  const { connected } = await identify(problem(status, "In its words"));
  expect(connected).toEqual({ ok: false, error: { message: "In its words", final } });
});

test.each([
  [402, undefined],
  [403, "client-forbidden"],
])("what is the app's trouble (%i, %s) ends no login", async (status, type) => {
  const { connected } = await identify(problem(status, "In its words", { type }));
  expect(connected).toMatchObject({ ok: false, error: { final: false } });
});

const TOKENS = {
  token_type: "bearer",
  expires_in: 7_200,
  access_token: "access-2",
  scope: "tweet.read",
  refresh_token: "refresh-2",
};

const refresh = async (
  body: object,
  { app = APP as typeof APP | null, status = 200, credentials = {} } = {},
) => {
  const { fetch, calls } = scriptedFetch({ [TOKEN]: [Response.json(body, { status })] });
  const refreshed = await x.refresh(fetch, { ...CREDENTIALS, ...credentials }, ACCOUNT, app);
  return { refreshed, calls };
};

test("renews both tokens with the keys of the app", async () => {
  const before = now().getTime();
  const { refreshed, calls } = await refresh(TOKENS);
  expect(refreshed).toMatchObject({
    ok: true,
    value: { accessToken: "access-2", refreshToken: "refresh-2" },
  });
  const expiresAt = refreshed.ok ? (refreshed.value.expiresAt?.getTime() ?? 0) : 0;
  expect(expiresAt - before).toBeGreaterThanOrEqual(7_200_000);
  expect(expiresAt - before).toBeLessThan(7_260_000);
  expect(calls).toMatchObject([
    {
      headers: {
        authorization: `Basic ${btoa("key:secret")}`,
        "content-type": "application/x-www-form-urlencoded",
      },
      redirect: "manual",
      text: "grant_type=refresh_token&refresh_token=refresh-1",
    },
  ]);
});

test("keeps the refresh token where no other is given; without keys empty ones are sent", async () => {
  const { refreshed, calls } = await refresh(
    { access_token: "access-2", token_type: "bearer" },
    { app: null },
  );
  expect(refreshed).toEqual({
    ok: true,
    value: { accessToken: "access-2", refreshToken: "refresh-1", expiresAt: null },
  });
  expect(calls[0]?.headers.authorization).toBe(`Basic ${btoa(":")}`);
});

const LOST = {
  error: "invalid_request",
  error_description: "Value passed for the token was invalid.",
};
const CLIENT = { error: "unauthorized_client", error_description: "Missing header" };

test.each<[string, object, object, boolean, string]>([
  ["a dead refresh token", LOST, { status: 400 }, true, "token was invalid"],
  ["the same without keys", LOST, { status: 400, app: null }, true, "token was invalid"],
  ["invalid_grant", { error: "invalid_grant" }, { status: 400 }, true, "HTTP 400"],
  ["wrong keys", CLIENT, { status: 401 }, false, "Missing header"],
  ["no keys", CLIENT, { status: 401, app: null }, false, "X_CLIENT_ID"],
  [
    "no keys for an expired login",
    CLIENT,
    { status: 401, app: null, credentials: { expiresAt: new Date(0) } },
    true,
    "X_CLIENT_ID",
  ],
  ["an outage", {}, { status: 503, app: null }, false, "HTTP 503"],
  ["a body that cannot be read", {}, {}, false, "cannot be read"],
])("%s", async (_, body, options, final, wording) => {
  const { refreshed } = await refresh(body, options);
  expect(refreshed).toMatchObject({
    ok: false,
    error: { final, message: expect.stringContaining(wording) },
  });
});

test("a login without a refresh token cannot be renewed", async () => {
  const { refreshed, calls } = await refresh(TOKENS, { credentials: { refreshToken: null } });
  expect(refreshed).toMatchObject({ ok: false, error: { final: true } });
  expect(calls).toEqual([]);
});

test("ends both tokens", async () => {
  const { fetch, calls } = scriptedFetch({
    "POST /2/oauth2/revoke": [Response.json({ revoked: true }), Response.json({ revoked: true })],
  });
  await x.revoke?.(fetch, CREDENTIALS, ACCOUNT, APP);
  expect(calls.map(({ text }) => text)).toEqual([
    "token=refresh-1&token_type_hint=refresh_token",
    "token=access-1&token_type_hint=access_token",
  ]);
});
