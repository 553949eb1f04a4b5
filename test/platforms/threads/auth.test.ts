import { expect, test } from "vitest";
import { threads } from "../../../src/platforms/threads/index.ts";
import { graphError, json, scriptedFetch, USER } from "./scripted.ts";

const CREDENTIALS = { accessToken: "THold", refreshToken: "left over", expiresAt: null };
const ACCOUNT = { platformAccountId: USER, handle: "ada", service: null };
const NOBODY_ELSE = { service: null, pageId: null };

test("says whose token it is, by the id in its exact digits", async () => {
  const body = `{"id": ${USER},"username":"ada","name":"Ada L.","threads_profile_picture_url":"https://cdn.example.com/a.jpg"}`;
  const { fetch, calls } = scriptedFetch(new Response(body));
  expect(await threads.identify(fetch, CREDENTIALS, NOBODY_ELSE)).toEqual({
    ok: true,
    value: {
      profile: {
        platformAccountId: USER,
        platformUserId: USER,
        accountName: "Ada L.",
        handle: "ada",
        profileImageUrl: "https://cdn.example.com/a.jpg",
        service: null,
      },
      credentials: { accessToken: "THold", refreshToken: null, expiresAt: null },
    },
  });
  expect(calls).toMatchObject([
    {
      path: "/v1.0/me",
      query: { fields: "id,username,name,threads_profile_picture_url" },
      authorization: "Bearer THold",
      redirect: "manual",
    },
  ]);
  expect(calls[0]?.url).not.toContain("THold");
});

test("an account without a name is called by its username, and a private picture is no picture", async () => {
  const me = { id: USER, username: "ada", threads_profile_picture_url: "https://10.0.0.1/a.jpg" };
  const connected = await threads.identify(
    scriptedFetch(json({ ...me, name: " " })).fetch,
    CREDENTIALS,
    NOBODY_ELSE,
  );
  expect(connected).toMatchObject({
    value: { profile: { accountName: "ada", profileImageUrl: null } },
  });
});

test.each([
  [graphError(190, 463), true],
  [graphError(10), true],
  [graphError(100, 4279013), true],
  [graphError(2, undefined, {}, 500), false],
  [graphError(4), false],
  [new Response("", { status: 502 }), false],
])("a refused token, case %#", async (reply, final) => {
  const refused = await threads.identify(scriptedFetch(reply).fetch, CREDENTIALS, NOBODY_ELSE);
  expect(refused).toMatchObject({ ok: false, error: { final } });
});

test.each([
  ["as the answer says", { expires_in: 5_183_944 }, 5_183_944_000],
  ["for 60 days", {}, 60 * 86_400_000],
])("renews the token by itself, %s", async (_, outcome, lifeMs) => {
  const answer = { access_token: "THnew", token_type: "bearer", ...outcome };
  const debugged = { data: { data_access_expires_at: 1_800_000_000 } };
  const { fetch, calls } = scriptedFetch(json(answer), json(debugged));
  const before = Date.now();
  const refreshed = await threads.refresh(fetch, CREDENTIALS, ACCOUNT, null);
  expect(refreshed).toMatchObject({
    ok: true,
    value: {
      accessToken: "THnew",
      refreshToken: null,
      dataAccessEndsAt: new Date(1_800_000_000_000),
    },
  });
  const expiresAt = refreshed.ok ? (refreshed.value.expiresAt?.getTime() ?? 0) : 0;
  expect(Math.abs(expiresAt - before - lifeMs)).toBeLessThan(60_000);
  expect(calls).toMatchObject([
    {
      method: "GET",
      path: "/refresh_access_token",
      query: { grant_type: "th_refresh_token", access_token: "THold" },
      authorization: null,
    },
    { method: "GET", path: "/v1.0/debug_token", query: { input_token: "THnew" } },
  ]);
});

test.each([
  ["is refused", graphError(10)],
  ["is a page of HTML", new Response("<p>Busy</p>")],
  ["says 0", json({ data: { data_access_expires_at: 0 } })],
])("keeps the known end of the permissions when the answer %s", async (_, reply) => {
  const { fetch } = scriptedFetch(json({ access_token: "THnew" }), reply);
  const dataAccessEndsAt = new Date("2027-01-01T00:00:00Z");
  const known = { ...CREDENTIALS, dataAccessEndsAt };
  const refreshed = await threads.refresh(fetch, known, ACCOUNT, null);
  expect(refreshed).toMatchObject({ ok: true, value: { dataAccessEndsAt } });
});

test.each([
  [graphError(190), true],
  // For example the permission of a private profile after 90 days.
  [graphError(100), true],
  [graphError(4), false],
  [new Response("", { status: 429 }), false],
  [new Response("", { status: 503 }), false],
])("a refused renewal, case %#", async (reply, final) => {
  const refused = await threads.refresh(scriptedFetch(reply).fetch, CREDENTIALS, ACCOUNT, null);
  expect(refused).toMatchObject({ ok: false, error: { final } });
});

test("the refused renewal of a token of today loses no login", async () => {
  const expiresAt = new Date(Date.now() + 59.5 * 86_400_000);
  const { fetch } = scriptedFetch(graphError(100));
  const refused = await threads.refresh(fetch, { ...CREDENTIALS, expiresAt }, ACCOUNT, null);
  expect(refused).toMatchObject({ ok: false, error: { final: false } });
});

test("is renewed 20 days before its end", () => {
  expect(threads.refreshAheadSeconds).toBe(20 * 86_400);
});

test("there is nothing to revoke", () => {
  expect(threads.revoke).toBeUndefined();
});
