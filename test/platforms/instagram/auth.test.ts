import { expect, test } from "vitest";
import { instagram } from "../../../src/platforms/instagram/index.ts";
import { graphError, IG, json, scriptedFetch } from "./scripted.ts";

const CREDENTIALS = { accessToken: "IGold", refreshToken: "left over", expiresAt: null };
const ACCOUNT = { platformAccountId: IG, handle: "ada", service: null };

test("says whose token it is, by the id that publishing wants", async () => {
  // Exceeds the exact range of numbers.
  const body = `{"id":"26","user_id": 17841405793187219,"username":"ada","name":"Ada L.","profile_picture_url":"https://cdn.example.com/a.jpg"}`;
  const { fetch, calls } = scriptedFetch(new Response(body));
  expect(await instagram.identify(fetch, CREDENTIALS, { service: null, pageId: null })).toEqual({
    ok: true,
    value: {
      profile: {
        platformAccountId: "17841405793187219",
        platformUserId: "26",
        accountName: "Ada L.",
        handle: "ada",
        profileImageUrl: "https://cdn.example.com/a.jpg",
        service: null,
      },
      credentials: { accessToken: "IGold", refreshToken: null, expiresAt: null },
    },
  });
  expect(calls).toMatchObject([
    { path: "/v26.0/me", authorization: "Bearer IGold", redirect: "manual" },
  ]);
  expect(calls[0]?.url).not.toContain("IGold");
});

test("an account without a name is called by its username, and a private picture is no picture", async () => {
  const me = { user_id: IG, username: "ada", profile_picture_url: "https://10.0.0.1/a.jpg" };
  const connected = await instagram.identify(scriptedFetch(json(me)).fetch, CREDENTIALS, {
    service: null,
    pageId: null,
  });
  expect(connected).toMatchObject({
    value: { profile: { accountName: "ada", profileImageUrl: null } },
  });
});

test.each([
  [graphError(190, 463), true],
  [graphError(190, 460), true],
  [graphError(10), true],
  [graphError(2, undefined, {}, 500), false],
  [graphError(4), false],
  [new Response("", { status: 502 }), false],
])("a refused token, case %#", async (reply, final) => {
  const refused = await instagram.identify(scriptedFetch(reply).fetch, CREDENTIALS, {
    service: null,
    pageId: null,
  });
  expect(refused).toMatchObject({ ok: false, error: { final } });
});

test("renews the token by itself, for 60 days", async () => {
  const answer = { access_token: "IGnew", token_type: "bearer", expires_in: 5_183_944 };
  const { fetch, calls } = scriptedFetch(json(answer));
  const before = Date.now();
  const refreshed = await instagram.refresh(fetch, CREDENTIALS, ACCOUNT, null);
  expect(refreshed).toMatchObject({
    ok: true,
    value: { accessToken: "IGnew", refreshToken: null },
  });
  const expiresAt = refreshed.ok ? (refreshed.value.expiresAt?.getTime() ?? 0) : 0;
  expect(Math.abs(expiresAt - before - 5_183_944_000)).toBeLessThan(60_000);
  expect(calls).toMatchObject([
    {
      method: "GET",
      path: "/refresh_access_token",
      query: { grant_type: "ig_refresh_token", access_token: "IGold" },
    },
  ]);
});

test.each([
  [graphError(190), true],
  [graphError(100), false],
  [new Response("", { status: 503 }), false],
])("a refused renewal, case %#", async (reply, final) => {
  const refused = await instagram.refresh(scriptedFetch(reply).fetch, CREDENTIALS, ACCOUNT, null);
  expect(refused).toMatchObject({ ok: false, error: { final } });
});

test("there is nothing to revoke", () => {
  expect(instagram.revoke).toBeUndefined();
});
