import { expect, test } from "vitest";
import { now } from "../../../src/core/clock.ts";
import { linkedin } from "../../../src/platforms/linkedin/index.ts";
import { type Answer, error, PAGE, PERSON, scriptedFetch } from "./scripted.ts";

const APP = { clientId: "id", clientSecret: "secret" };
const ACCOUNT = { platformAccountId: PERSON, handle: null, service: null };
const CREDENTIALS = { accessToken: "AQX1", refreshToken: "AQR1", expiresAt: null };

const USERINFO = "GET https://api.linkedin.com/v2/userinfo";
const ROLES = "GET organizationAcls?q=roleAssignee&state=APPROVED&count=100&start=";
const TOKEN = "POST https://www.linkedin.com/oauth/v2/accessToken";

const identify = async (script: [string, Answer][], pageId: string | null = null) => {
  const { fetch, calls } = scriptedFetch(script);
  return { outcome: await linkedin.identify(fetch, CREDENTIALS, { service: null, pageId }), calls };
};

test("says whose tokens these are", async () => {
  const picture = "https://media.licdn.com/a.jpeg";
  const answer = Response.json({ sub: "ada1", name: "Ada L.", picture });
  const { outcome, calls } = await identify([[USERINFO, answer]]);
  expect(outcome).toEqual({
    ok: true,
    value: {
      profile: {
        platformAccountId: PERSON,
        platformUserId: PERSON,
        accountName: "Ada L.",
        handle: null,
        profileImageUrl: picture,
        service: null,
      },
      credentials: CREDENTIALS,
    },
  });
  expect(calls[0]?.headers).toMatchObject({ authorization: "Bearer AQX1" });
  expect(calls[0]?.headers).not.toHaveProperty("linkedin-version");
});

test("keeps no picture from a private address", async () => {
  const answer = Response.json({ sub: "ada1", picture: "http://10.0.0.1/a" });
  expect((await identify([[USERINFO, answer]])).outcome).toMatchObject({
    value: { profile: { accountName: "ada1", profileImageUrl: null } },
  });
});

test.each([
  [401, "REVOKED_ACCESS_TOKEN", true],
  [403, "ACCESS_DENIED", true],
  [503, null, false],
  [429, null, false],
])("a refused login (%i %s) is final: %s", async (status, code, final) => {
  const { outcome } = await identify([[USERINFO, error(status, code, "In its words")]]);
  expect(outcome).toEqual({ ok: false, error: { message: "In its words", final } });
});

const roles = (...elements: object[]) => Response.json({ elements });
const administrator = { role: "ADMINISTRATOR", state: "APPROVED", organization: PAGE };

test.each<[string, object]>([
  ["77", administrator],
  [PAGE, { ...administrator, role: "CONTENT_ADMINISTRATOR" }],
  [PAGE, { role: "CONTENT_ADMIN", organizationTarget: PAGE }],
])("connects the page %s", async (pageId, element) => {
  const page = Response.json({ id: 77, localizedName: "Engines", vanityName: "engines" });
  const { outcome, calls } = await identify(
    [
      [`${ROLES}0`, roles(element)],
      ["GET organizations/77", page],
    ],
    pageId,
  );
  expect(outcome).toMatchObject({
    ok: true,
    value: { profile: { platformAccountId: PAGE, accountName: "Engines", handle: "engines" } },
  });
  expect(calls[0]?.headers).toMatchObject({ "linkedin-version": "202609" });
});

test("looks for a page's role beyond the first hundred", async () => {
  const others = Array.from({ length: 100 }, () => ({ role: "ANALYST", organization: PAGE }));
  const { outcome } = await identify(
    [
      [`${ROLES}0`, roles(...others)],
      [`${ROLES}100`, roles(administrator)],
      ["GET organizations/77", Response.json({})],
    ],
    "77",
  );
  expect(outcome).toMatchObject({ ok: true, value: { profile: { accountName: "77" } } });
});

test.each<[string, object]>([
  ["an analyst", { ...administrator, role: "ANALYST" }],
  ["a role that is only asked for", { ...administrator, state: "REQUESTED" }],
  ["a role elsewhere", { ...administrator, organization: "urn:li:organization:78" }],
])("refuses a page for %s", async (_, element) => {
  const { outcome } = await identify([[`${ROLES}0`, roles(element)]], "77");
  expect(outcome).toMatchObject({
    ok: false,
    error: { final: true, message: expect.stringContaining("may not publish") },
  });
});

test("refuses a page that is none", async () => {
  const { outcome, calls } = await identify([], "my-company");
  expect(outcome).toMatchObject({ ok: false, error: { final: true } });
  expect(calls).toEqual([]);
});

test("lists the pages that the member may publish as", async () => {
  const { fetch } = scriptedFetch([
    [
      `${ROLES}0`,
      roles(
        administrator,
        { ...administrator, organization: "urn:li:organization:78" },
        { ...administrator, organization: "urn:li:organization:79", role: "ANALYST" },
      ),
    ],
    [
      "GET organizations?ids=List(77,78)",
      Response.json({ results: { "77": { localizedName: "Engines" } } }),
    ],
  ]);
  expect(await linkedin.extras?.pages?.(fetch, "AQX1", ACCOUNT)).toEqual({
    ok: true,
    value: [
      { id: "77", name: "Engines" },
      { id: "78", name: "78" },
    ],
  });
});

test("asks for a fresh token where the pages are refused", async () => {
  const { fetch } = scriptedFetch([[`${ROLES}0`, error(401, "EXPIRED_ACCESS_TOKEN")]]);
  expect(await linkedin.extras?.pages?.(fetch, "AQX1", ACCOUNT)).toEqual({
    ok: false,
    error: { kind: "token_expired" },
  });
});

const refresh = async (
  answer: Answer,
  { app = APP as typeof APP | null, credentials = {} as object } = {},
) => {
  const { fetch, calls } = scriptedFetch([[TOKEN, answer]]);
  const outcome = await linkedin.refresh(fetch, { ...CREDENTIALS, ...credentials }, ACCOUNT, app);
  return { outcome, calls };
};

test.each([
  ["AQR2", "AQR2"],
  [undefined, "AQR1"],
])("renews with the keys of the app; of the refresh token %s it keeps %s", async (sent, kept) => {
  const tokens = { access_token: "AQX2", expires_in: 5_184_000, refresh_token: sent };
  const { outcome, calls } = await refresh(Response.json(tokens));
  expect(outcome).toMatchObject({ ok: true, value: { accessToken: "AQX2", refreshToken: kept } });
  const remaining = outcome.ok ? (outcome.value.expiresAt?.getTime() ?? 0) - now().getTime() : 0;
  expect(Math.abs(remaining - 5_184_000_000)).toBeLessThan(60_000);
  expect(Object.fromEntries(new URLSearchParams(calls[0]?.text))).toEqual({
    grant_type: "refresh_token",
    refresh_token: "AQR1",
    client_id: "id",
    client_secret: "secret",
  });
});

test("knows the end that renewing does not move", async () => {
  const tokens = { access_token: "AQX2", expires_in: 5_184_000, refresh_token_expires_in: 1_000 };
  expect((await refresh(Response.json(tokens))).outcome).toMatchObject({
    ok: true,
    value: { refreshEndsAt: expect.any(Date), isEndFixed: true },
  });
});

const oauth = (code: string, text: string, status = 400) =>
  Response.json({ error: code, error_description: text }, { status });

test.each<[string, Answer, object, boolean, string]>([
  ["a dead token", oauth("invalid_grant", "Gone"), {}, true, "Gone"],
  [
    "a dead token by another name",
    oauth("invalid_request", "The grant or refresh token is invalid, expired or revoked"),
    {},
    true,
    "revoked",
  ],
  ["a wrong key", oauth("invalid_client", "Key", 401), {}, false, "Key"],
  ["a server error", new Response(null, { status: 500 }), {}, false, "500"],
  ["no keys", oauth("invalid_client", "x", 401), { app: null }, false, "LINKEDIN_CLIENT_ID"],
  [
    "no keys for a login that is over",
    oauth("invalid_client", "x", 401),
    { app: null, credentials: { expiresAt: new Date(0) } },
    true,
    "LINKEDIN_CLIENT_ID",
  ],
])("%s", async (_, answer, options, final, wording) => {
  const { outcome } = await refresh(answer, options);
  expect(outcome).toMatchObject({
    ok: false,
    error: { final, message: expect.stringContaining(wording) },
  });
});

const DAY = 86_400;

test.each([
  ["was refused", null],
  ["is over", -1],
  ["is as good as over", 60],
  ["was refused with weeks to go", 30 * DAY],
  ["still has four days", 4 * DAY],
])("a login that cannot be renewed and %s is lost", async (_, seconds) => {
  const expiresAt = seconds === null ? null : new Date(now().getTime() + seconds * 1_000);
  const { fetch, calls } = scriptedFetch([]);
  const credentials = { ...CREDENTIALS, refreshToken: null, expiresAt };
  expect(await linkedin.refresh(fetch, credentials, ACCOUNT, APP)).toMatchObject({
    ok: false,
    error: { final: true, message: expect.stringContaining("every 60 days") },
  });
  expect(calls).toEqual([]);
});

test("ends the member's token", async () => {
  const { fetch, calls } = scriptedFetch([
    ["POST https://www.linkedin.com/oauth/v2/revoke", Response.json({})],
  ]);
  await linkedin.revoke?.(fetch, CREDENTIALS, ACCOUNT, APP);
  expect(calls).toHaveLength(1);
  expect(Object.fromEntries(new URLSearchParams(calls[0]?.text))).toEqual({
    token: "AQX1",
    client_id: "id",
    client_secret: "secret",
  });
});
