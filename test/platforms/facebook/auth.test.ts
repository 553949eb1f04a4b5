import { expect, test } from "vitest";
import { facebook } from "../../../src/platforms/facebook/index.ts";
import { graphError, json, PAGE, scriptedFetch } from "./scripted.ts";

const CREDENTIALS = { accessToken: "EAAold", refreshToken: "left over", expiresAt: new Date() };
const ACCOUNT = { platformAccountId: PAGE, handle: "ada", service: null };
const ALONE = { service: null, pageId: null };
const NAMED = { service: null, pageId: PAGE };

test("a Page's own token says which Page it is", async () => {
  // Exceeds the exact range of numbers.
  const body = `{"id":17841405793187219,"name":"Ada's","username":"adas","category":"Media","picture":{"data":{"url":"https://cdn.example.com/a.jpg"}}}`;
  const { fetch, calls } = scriptedFetch(new Response(body));
  expect(await facebook.identify(fetch, CREDENTIALS, ALONE)).toEqual({
    ok: true,
    value: {
      profile: {
        platformAccountId: "17841405793187219",
        accountName: "Ada's",
        handle: "adas",
        profileImageUrl: "https://cdn.example.com/a.jpg",
        service: null,
      },
      credentials: { accessToken: "EAAold", refreshToken: null, expiresAt: null },
    },
  });
  expect(calls).toMatchObject([
    {
      path: "/v26.0/me",
      query: { fields: "category,id,name,username,picture.type(large){url}" },
      redirect: "manual",
    },
  ]);
  expect(calls[0]?.headers.get("authorization")).toBe("Bearer EAAold");
});

test("a person's token is exchanged for that of the Page", async () => {
  const page = { id: PAGE, name: "Ada's", access_token: "EAApage" };
  const { fetch, calls } = scriptedFetch(json(page));
  expect(await facebook.identify(fetch, CREDENTIALS, NAMED)).toMatchObject({
    value: {
      profile: { platformAccountId: PAGE, handle: null, profileImageUrl: null },
      credentials: { accessToken: "EAApage", refreshToken: null, expiresAt: null },
    },
  });
  expect(calls).toMatchObject([
    {
      path: `/v26.0/${PAGE}`,
      query: { fields: "access_token,id,name,username,picture.type(large){url}" },
    },
  ]);
});

test("a person's token without a Page, and one without a role there, are refused in words", async () => {
  const message = "(#100) Tried accessing nonexisting field (category) on node type (User)";
  const person = scriptedFetch(graphError(100, undefined, { message })).fetch;
  expect(await facebook.identify(person, CREDENTIALS, ALONE)).toMatchObject({
    error: { message: expect.stringContaining("pageId"), final: true },
  });
  const reader = scriptedFetch(json({ id: PAGE, name: "Ada's" })).fetch;
  expect(await facebook.identify(reader, CREDENTIALS, NAMED)).toMatchObject({
    error: { message: expect.stringContaining("Ada's"), final: true },
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
  for (const options of [ALONE, NAMED]) {
    const { fetch } = scriptedFetch(reply.clone());
    const refused = await facebook.identify(fetch, CREDENTIALS, options);
    expect(refused).toMatchObject({ ok: false, error: { final } });
  }
  const { fetch } = scriptedFetch(reply);
  const refused = await facebook.refresh(fetch, CREDENTIALS, ACCOUNT, null);
  expect(refused).toMatchObject({ ok: false, error: { final } });
});

test.each([
  [{ access_token: "EAAnew" }, "EAAnew"],
  [{}, "EAAold"],
])("a token that lives is asked for anew: %j", async (more, accessToken) => {
  const { fetch } = scriptedFetch(json({ id: PAGE, name: "Ada's", ...more }));
  expect(await facebook.refresh(fetch, CREDENTIALS, ACCOUNT, null)).toEqual({
    ok: true,
    value: { accessToken, refreshToken: null, expiresAt: null },
  });
});

test("there is nothing to revoke, and nothing to renew ahead of time", () => {
  expect(facebook.revoke).toBeUndefined();
  expect(facebook.refreshAheadSeconds).toBeUndefined();
});

test("Facebook is asked again for an end of the data that it could not say", async () => {
  const app = { clientId: "app", clientSecret: "secret" };
  const page = () => json({ id: PAGE, name: "Ada's" });
  const down = () => graphError(2, undefined, {}, 500);
  const unknown = scriptedFetch(page(), down()).fetch;
  expect(await facebook.refresh(unknown, CREDENTIALS, ACCOUNT, app)).toMatchObject({
    ok: false,
    error: { final: false },
  });
  const dataAccessEndsAt = new Date("2027-03-01T09:00:00Z");
  const known = scriptedFetch(page(), down()).fetch;
  const login = { ...CREDENTIALS, dataAccessEndsAt };
  expect(await facebook.refresh(known, login, ACCOUNT, app)).toMatchObject({
    ok: true,
    value: { dataAccessEndsAt },
  });
});
