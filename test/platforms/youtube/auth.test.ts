import { expect, test } from "vitest";
import { now } from "../../../src/core/clock.ts";
import { youtube } from "../../../src/platforms/youtube/index.ts";
import { type Answer, CHANNELS, error, scriptedFetch } from "./scripted.ts";

const APP = { clientId: "key", clientSecret: "secret" };
const ACCOUNT = { platformAccountId: "UC1", handle: "ada", service: null };
const CREDENTIALS = { accessToken: "at.1", refreshToken: "rt.1", expiresAt: null };

const identify = async (answer: Answer) => {
  const { fetch, calls } = scriptedFetch({ [CHANNELS]: [answer] });
  const connected = await youtube.identify(fetch, CREDENTIALS, { service: null, pageId: null });
  return { connected, calls };
};

const channel = (snippet: object) => Response.json({ items: [{ id: "UC1", snippet }] });

test("says whose tokens these are", async () => {
  const thumbnails = { medium: { url: "https://yt3.ggpht.com/a" } };
  const { connected, calls } = await identify(
    channel({ title: "Ada L.", customUrl: "@ada", thumbnails }),
  );
  expect(connected).toEqual({
    ok: true,
    value: {
      profile: {
        platformAccountId: "UC1",
        accountName: "Ada L.",
        handle: "ada",
        profileImageUrl: "https://yt3.ggpht.com/a",
        service: null,
      },
      credentials: CREDENTIALS,
    },
  });
  expect(calls).toMatchObject([
    {
      url: "https://www.googleapis.com/youtube/v3/channels?part=id,snippet&mine=true",
      headers: { authorization: "Bearer at.1" },
      redirect: "manual",
    },
  ]);
});

test("does without what a channel does not have", async () => {
  const thumbnails = { medium: { url: "http://10.0.0.1/a" } };
  const { connected } = await identify(channel({ title: "", thumbnails }));
  expect(connected).toMatchObject({
    ok: true,
    value: { profile: { accountName: "UC1", handle: null, profileImageUrl: null } },
  });
});

test.each<[string, () => Response, boolean, string]>([
  ["no channel", () => Response.json({ items: [] }), true, "no YouTube channel"],
  ["no list of channels", () => Response.json({}), true, "no YouTube channel"],
  ["a missing sign-up", () => error(401, "youtubeSignupRequired"), true, "no YouTube channel"],
  ["a refused token", () => error(401, "authError"), true, "In its words"],
  ["a spent quota", () => error(403, "quotaExceeded"), false, "In its words"],
  ["a server error", () => error(503, "backendError"), false, "In its words"],
  ["a body that cannot be read", () => new Response("<html>"), false, "cannot be read"],
])("%s", async (_, answer, final, wording) => {
  const { connected } = await identify(answer());
  expect(connected).toEqual({
    ok: false,
    error: { message: expect.stringContaining(wording), final },
  });
});

const refresh = async (
  body: object,
  { app = APP as typeof APP | null, status = 200, credentials = {} } = {},
) => {
  const { fetch, calls } = scriptedFetch({ "POST /token": [Response.json(body, { status })] });
  const refreshed = await youtube.refresh(fetch, { ...CREDENTIALS, ...credentials }, ACCOUNT, app);
  return { refreshed, calls };
};

test("renews the access token with the keys of the app, and keeps the refresh token", async () => {
  const before = now().getTime();
  const { refreshed, calls } = await refresh({ access_token: "at.2", expires_in: 3_599 });
  expect(refreshed).toMatchObject({
    ok: true,
    value: { accessToken: "at.2", refreshToken: "rt.1" },
  });
  const expiresAt = refreshed.ok ? (refreshed.value.expiresAt?.getTime() ?? 0) : 0;
  expect(expiresAt - before).toBeGreaterThanOrEqual(3_599_000);
  expect(calls[0]?.url).toBe("https://oauth2.googleapis.com/token");
  expect(calls[0]?.headers["content-type"]).toBe("application/x-www-form-urlencoded");
  expect(calls[0]?.text).toBe(
    "grant_type=refresh_token&refresh_token=rt.1&client_id=key&client_secret=secret",
  );
});

test("takes a new refresh token where Google sends one", async () => {
  const tokens = { access_token: "at.2", expires_in: 3_599, refresh_token: "rt.2" };
  expect((await refresh(tokens)).refreshed).toMatchObject({ value: { refreshToken: "rt.2" } });
});

test.each<[string, object, object, boolean, string]>([
  [
    "invalid_grant",
    { error: "invalid_grant", error_description: "Gone" },
    { status: 400 },
    true,
    "Gone",
  ],
  [
    "invalid_client",
    { error: "invalid_client", error_description: "Key" },
    { status: 401 },
    false,
    "Key",
  ],
  ["a server error", {}, { status: 503 }, false, "HTTP 503"],
  ["a body that cannot be read", {}, {}, false, "cannot be read"],
  ["no keys", { error: "invalid_client" }, { app: null, status: 401 }, false, "YOUTUBE_CLIENT_ID"],
  [
    "no keys for an expired login",
    { error: "invalid_client" },
    { app: null, status: 401, credentials: { expiresAt: new Date(0) } },
    true,
    "YOUTUBE_CLIENT_ID",
  ],
  [
    "no keys and a dead token",
    { error: "invalid_grant", error_description: "Gone" },
    { app: null, status: 400 },
    true,
    "Gone",
  ],
])("cannot renew a login: %s", async (_, body, options, final, wording) => {
  const { refreshed } = await refresh(body, options);
  expect(refreshed).toMatchObject({
    ok: false,
    error: { final, message: expect.stringContaining(wording) },
  });
});

test("a login without a refresh token cannot be renewed", async () => {
  const { refreshed, calls } = await refresh({}, { credentials: { refreshToken: null } });
  expect(refreshed).toMatchObject({ ok: false, error: { final: true } });
  expect(calls).toEqual([]);
});

test.each([
  ["rt.1", "token=rt.1"],
  [null, "token=at.1"],
])("ends the access of our app (refresh token %s)", async (refreshToken, text) => {
  const { fetch, calls } = scriptedFetch({ "POST /revoke": [Response.json({})] });
  await youtube.revoke?.(fetch, { ...CREDENTIALS, refreshToken }, ACCOUNT, APP);
  expect(calls).toMatchObject([{ url: "https://oauth2.googleapis.com/revoke", text }]);
});
