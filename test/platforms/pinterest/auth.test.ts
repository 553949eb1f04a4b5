import { describe, expect, test } from "vitest";
import { now } from "../../../src/core/clock.ts";
import type { AppKeys, Credentials } from "../../../src/platforms/login.ts";
import { pinterest } from "../../../src/platforms/pinterest/index.ts";
import { type Answer, error, json, scriptedFetch } from "./scripted.ts";

const APP: AppKeys = { clientId: "1234", clientSecret: "secret" };
const ACCOUNT = { platformAccountId: "7", handle: "ada", service: null };
const CREDENTIALS: Credentials = {
  accessToken: "pina_1",
  refreshToken: "pinr_1",
  expiresAt: null,
};

const identify = async (answer: Answer) => {
  const { fetch, calls } = scriptedFetch({ "GET /user_account": [answer] });
  const options = { service: null, pageId: null };
  return { connected: await pinterest.identify(fetch, CREDENTIALS, options), calls };
};

describe("whose tokens these are", () => {
  const USER = {
    id: "7",
    username: "ada",
    account_type: "BUSINESS",
    business_name: "Ada's Shop",
    profile_image: "https://i.pinimg.com/a.jpg",
  };

  test("is told with the name of the business", async () => {
    const { connected, calls } = await identify(json(USER));
    expect(connected).toEqual({
      ok: true,
      value: {
        profile: {
          platformAccountId: "7",
          accountName: "Ada's Shop",
          handle: "ada",
          profileImageUrl: "https://i.pinimg.com/a.jpg",
          service: null,
        },
        credentials: CREDENTIALS,
      },
    });
    expect(calls).toMatchObject([
      {
        url: "https://api.pinterest.com/v5/user_account",
        headers: { authorization: "Bearer pina_1" },
        redirect: "manual",
      },
    ]);
  });

  test("is told with the user name where there is no business, without a picture of inside", async () => {
    const user = { ...USER, business_name: null, profile_image: "https://10.0.0.1/a.jpg" };
    expect((await identify(json(user))).connected).toMatchObject({
      value: { profile: { accountName: "ada", profileImageUrl: null } },
    });
  });

  test.each<[Answer, boolean]>([
    [error(401, 2), true],
    [error(403, 29), true],
    [error(403, 8), false],
    [error(429, 8), false],
    [error(500), false],
    [json({ id: 7 }), false],
  ])("a refusal is final or not", async (answer, final) => {
    expect((await identify(answer)).connected).toMatchObject({ ok: false, error: { final } });
  });
});

const TOKENS = {
  access_token: "pina_2",
  token_type: "bearer",
  expires_in: 2_592_000,
  refresh_token: "pinr_2",
  refresh_token_expires_in: 5_184_000,
};

const refresh = async (
  answer: Answer,
  app: AppKeys | null = APP,
  change: Partial<Credentials> = {},
) => {
  const { fetch, calls } = scriptedFetch({ "POST /oauth/token": [answer] });
  const credentials = { ...CREDENTIALS, ...change };
  return { refreshed: await pinterest.refresh(fetch, credentials, ACCOUNT, app), calls };
};

describe("renewing a login", () => {
  test("replaces both tokens, with the app's keys in the header", async () => {
    const before = now().getTime();
    const { refreshed, calls } = await refresh(json(TOKENS));
    expect(refreshed).toMatchObject({
      ok: true,
      value: { accessToken: "pina_2", refreshToken: "pinr_2" },
    });
    const end = refreshed.ok ? (refreshed.value.expiresAt?.getTime() ?? 0) : 0;
    expect(end - before).toBeGreaterThanOrEqual(2_592_000_000);
    expect(end - before).toBeLessThan(2_592_060_000);
    expect(calls).toMatchObject([
      {
        method: "POST",
        url: "https://api.pinterest.com/v5/oauth/token",
        headers: {
          authorization: `Basic ${btoa("1234:secret")}`,
          "content-type": "application/x-www-form-urlencoded",
        },
        text: "grant_type=refresh_token&refresh_token=pinr_1",
        redirect: "manual",
      },
    ]);
  });

  test("keeps the refresh token that is not replaced", async () => {
    const { refreshed } = await refresh(json({ ...TOKENS, refresh_token: undefined }));
    expect(refreshed).toMatchObject({ value: { refreshToken: "pinr_1" } });
  });

  test("is tried without keys, as a simulated account has none", async () => {
    const { refreshed, calls } = await refresh(json(TOKENS), null);
    expect(refreshed.ok).toBe(true);
    expect(calls[0]?.headers.authorization).toBe(`Basic ${btoa(":")}`);
  });

  const past = new Date(0);
  test.each<[string, Answer, AppKeys | null, Date | null, boolean, string]>([
    ["a dead refresh token, or wrong keys", error(401, 283, "Gone"), APP, null, false, "Gone"],
    ["another bad request", error(400, 1, "Form"), APP, past, false, "Form"],
    ["a dead one without keys", error(401, 283), null, null, false, "PINTEREST_CLIENT_ID"],
    ["one that is named", error(401, 2, "Refresh token expired"), APP, null, true, "Refresh"],
    ["wrong keys", error(401, 2, "Authentication failed."), APP, past, false, "Authentication"],
    ["no keys", error(401, 2), null, null, false, "PINTEREST_CLIENT_ID"],
    ["no keys for an ended login", error(401, 2), null, past, true, "PINTEREST_CLIENT_ID"],
    ["an outage", error(503, 1, "Later"), APP, past, false, "Later"],
    ["too many calls", error(429, 8, "Later"), APP, null, false, "Later"],
    ["a body that cannot be read", json({}), APP, null, false, "cannot be read"],
  ])("%s", async (_, answer, app, expiresAt, final, wording) => {
    const { refreshed } = await refresh(answer, app, { expiresAt });
    expect(refreshed).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining(wording), final },
    });
  });

  test.each<[string, Answer, true | undefined]>([
    ["a refusal without a clear reason is about this login alone", error(401, 283, "Gone"), true],
    ["an outage is about every login", error(503, 1, "Later"), undefined],
    ["too many calls are about every login", error(429, 8, "Later"), undefined],
  ])("%s", async (_, answer, isAboutLogin) => {
    const { refreshed } = await refresh(answer);
    expect(refreshed.ok ? null : refreshed.error.isAboutLogin).toBe(isAboutLogin);
  });

  test("needs a refresh token", async () => {
    const { refreshed, calls } = await refresh(json(TOKENS), APP, { refreshToken: null });
    expect(refreshed).toMatchObject({ ok: false, error: { final: true } });
    expect(calls).toEqual([]);
  });

  test("happens 14 days before the end of a login that nobody uses", () => {
    expect(pinterest.refreshAheadSeconds).toBe(1_209_600);
  });
});

test("there is nothing to revoke", () => {
  expect(pinterest.revoke).toBeUndefined();
});

test("asks for the permissions of secret boards and pins too", () => {
  for (const what of ["boards:read", "boards:write", "pins:read", "pins:write"]) {
    expect(pinterest.needs.scopes).toContain(what);
    expect(pinterest.needs.scopes).toContain(`${what}_secret`);
  }
});
