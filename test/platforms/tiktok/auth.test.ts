import { expect, test } from "vitest";
import { now } from "../../../src/core/clock.ts";
import { tiktok } from "../../../src/platforms/tiktok/index.ts";
import { type Answer, data, error, scriptedFetch } from "./scripted.ts";

const APP = { clientId: "key", clientSecret: "secret" };
const ACCOUNT = { platformAccountId: "open-1", handle: "ada", service: null };
const CREDENTIALS = { accessToken: "act.1", refreshToken: "rft.1", expiresAt: null };
const USER = {
  open_id: "open-1",
  avatar_url: "https://p16.tiktokcdn.com/a.jpeg",
  display_name: "Ada L.",
};

const identify = async (answers: Answer[]) => {
  const { fetch, calls } = scriptedFetch({ "user/info/": answers });
  return {
    connected: await tiktok.identify(fetch, CREDENTIALS, { service: null, pageId: null }),
    calls,
  };
};

test("says whose tokens these are", async () => {
  const { connected, calls } = await identify([data({ user: { ...USER, username: "ada" } })]);
  expect(connected).toEqual({
    ok: true,
    value: {
      profile: {
        platformAccountId: "open-1",
        accountName: "Ada L.",
        handle: "ada",
        profileImageUrl: "https://p16.tiktokcdn.com/a.jpeg",
        service: null,
      },
      credentials: CREDENTIALS,
    },
  });
  expect(calls).toMatchObject([
    {
      method: "GET",
      url: "https://open.tiktokapis.com/v2/user/info/?fields=open_id,avatar_url,display_name,username",
      headers: { authorization: "Bearer act.1" },
    },
  ]);
});

test("asks for the basics alone where the login may read no more", async () => {
  const { connected, calls } = await identify([
    error(401, "scope_not_authorized"),
    data({ user: { ...USER, display_name: "", avatar_url: "http://10.0.0.1/a" } }),
  ]);
  expect(connected).toMatchObject({
    ok: true,
    value: { profile: { accountName: "open-1", handle: null, profileImageUrl: null } },
  });
  expect(calls[1]?.url).toMatch(/fields=open_id,avatar_url,display_name$/);
});

test.each([
  [401, "access_token_invalid", true],
  [500, "internal_error", false],
  [429, "rate_limit_exceeded", false],
])("a refused login (%i %s) is final: %s", async (status, code, final) => {
  const { connected } = await identify([error(status, code, "In its words")]);
  expect(connected).toEqual({ ok: false, error: { message: "In its words", final } });
});

const TOKENS = {
  access_token: "act.2",
  expires_in: 7_200,
  refresh_token: "rft.2",
  refresh_expires_in: 15_552_000,
  open_id: "open-1",
  scope: "video.publish",
  token_type: "Bearer",
};

const refresh = async (
  body: object,
  { app = APP as typeof APP | null, status = 200, credentials = {} } = {},
) => {
  const { fetch, calls } = scriptedFetch({ "oauth/token/": [Response.json(body, { status })] });
  const refreshed = await tiktok.refresh(fetch, { ...CREDENTIALS, ...credentials }, ACCOUNT, app);
  return { refreshed, calls };
};

test("renews both tokens with the keys of the app", async () => {
  const before = now().getTime();
  const { refreshed, calls } = await refresh(TOKENS);
  expect(refreshed).toMatchObject({
    ok: true,
    value: { accessToken: "act.2", refreshToken: "rft.2" },
  });
  const expiresAt = refreshed.ok ? (refreshed.value.expiresAt?.getTime() ?? 0) : 0;
  expect(expiresAt - before).toBeGreaterThanOrEqual(7_200_000);
  expect(expiresAt - before).toBeLessThan(7_260_000);
  expect(calls[0]?.headers["content-type"]).toBe("application/x-www-form-urlencoded");
  expect(Object.fromEntries(new URLSearchParams(calls[0]?.text))).toEqual({
    client_key: "key",
    client_secret: "secret",
    grant_type: "refresh_token",
    refresh_token: "rft.1",
  });
});

test.each<[string, object, object, boolean, string]>([
  [
    "invalid_grant with HTTP 200",
    { error: "invalid_grant", error_description: "Gone" },
    {},
    true,
    "Gone",
  ],
  [
    "invalid_grant with HTTP 400",
    { error: "invalid_grant" },
    { status: 400 },
    true,
    "invalid_grant",
  ],
  ["invalid_client", { error: "invalid_client", error_description: "Key" }, {}, false, "Key"],
  [
    "a server error",
    { error: { code: "internal_error", message: "Later" } },
    { status: 500 },
    false,
    "Later",
  ],
  ["a body that cannot be read", {}, {}, false, "cannot be read"],
  ["tokens of another account", { ...TOKENS, open_id: "open-2" }, {}, true, "another account"],
  ["no keys", { error: "invalid_client" }, { app: null }, false, "TIKTOK_CLIENT_ID"],
  [
    "no keys for an expired login",
    { error: "invalid_client" },
    { app: null, credentials: { expiresAt: new Date(0) } },
    true,
    "TIKTOK_CLIENT_ID",
  ],
  [
    "no keys and a dead token",
    { error: "invalid_grant", error_description: "Gone" },
    { app: null },
    true,
    "Gone",
  ],
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

test("ends the access of our app", async () => {
  const { fetch, calls } = scriptedFetch({ "oauth/revoke/": [Response.json({})] });
  await tiktok.revoke?.(fetch, CREDENTIALS, ACCOUNT, APP);
  expect(Object.fromEntries(new URLSearchParams(calls[0]?.text))).toEqual({
    client_key: "key",
    client_secret: "secret",
    token: "act.1",
  });
});
