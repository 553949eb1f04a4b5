import { expect, test } from "vitest";
import { linkedin } from "../../../src/platforms/linkedin/index.ts";
import { APP, backWith, fieldsOf, REDIRECT, readAddress, START } from "../consents.ts";
import { type Answer, error, PAGE, PERSON, scriptedFetch } from "./scripted.ts";

const TOKEN = "POST https://www.linkedin.com/oauth/v2/accessToken";
const USERINFO = "GET https://api.linkedin.com/v2/userinfo";
const ROLES = "GET organizationAcls?q=roleAssignee&state=APPROVED&count=100&start=0";

const PAGES = ["r_organization_social", "w_organization_social", "rw_organization_admin"];
const OWN = ["openid", "profile", "w_member_social"];
const WITH_PAGES = { ...APP, scopes: PAGES };

/** As documented: no token_type. */
const TOKENS = { access_token: "AQX1", expires_in: 5_184_000, scope: [...OWN, ...PAGES].join(",") };

const person = () => Response.json({ sub: "ada1", name: "Ada L." });
const roles = () =>
  Response.json({
    elements: [
      { role: "ADMINISTRATOR", state: "APPROVED", organization: PAGE },
      { role: "ANALYST", state: "APPROVED", organization: "urn:li:organization:78" },
    ],
  });
const names = () =>
  Response.json({ results: { "77": { localizedName: "Engines", vanityName: "engines" } } });

async function finish(script: [string, Answer][], app: typeof APP = WITH_PAGES, query = {}) {
  const { fetch, calls, remaining } = scriptedFetch(script);
  const grant = await linkedin.consent?.finish(fetch, backWith({ code: "AQT1", ...query }), app);
  return { grant, calls, remaining };
}

test.each<[string, object, string[]]>([
  ["of the person alone", APP, OWN],
  ["of pages too where the app has them", WITH_PAGES, [...OWN, ...PAGES]],
])("asks for the permissions %s, without a challenge", async (_, app, scopes) => {
  const { fetch } = scriptedFetch([]);
  const consentStart = await linkedin.consent?.begin(fetch, START, app as typeof APP);
  expect(consentStart?.ok && readAddress(consentStart.value.url)).toEqual({
    page: "https://www.linkedin.com/oauth/v2/authorization",
    params: {
      response_type: "code",
      client_id: "id-1",
      redirect_uri: REDIRECT,
      scope: scopes.join(" "),
      state: "state-1",
    },
  });
  expect(consentStart?.ok && consentStart.value.url).toContain(
    "scope=openid%20profile%20w_member_social",
  );
});

test("exchanges the code for the member and the pages that they may publish as", async () => {
  const { grant, calls, remaining } = await finish([
    [TOKEN, Response.json(TOKENS)],
    [USERINFO, person()],
    [ROLES, roles()],
    ["GET organizations?ids=List(77)", names()],
  ]);
  const credentials = { accessToken: "AQX1", refreshToken: null, expiresAt: expect.any(Date) };
  expect(grant).toMatchObject({
    ok: true,
    value: {
      accounts: [
        {
          profile: { platformAccountId: PERSON, platformUserId: PERSON, accountName: "Ada L." },
          credentials,
        },
        {
          profile: { platformAccountId: PAGE, platformUserId: PERSON, handle: "engines" },
          credentials,
        },
      ],
      scopes: [...OWN, ...PAGES],
      requested: [...OWN, ...PAGES],
    },
  });
  expect(remaining).toEqual([]);
  expect(fieldsOf(calls[0])).toEqual({
    grant_type: "authorization_code",
    code: "AQT1",
    redirect_uri: REDIRECT,
    client_id: "id-1",
    client_secret: "secret/1",
  });
});

test("reads live replies too: an ID token that nobody asked to be checked, refresh tokens, spaces", async () => {
  const tokens = {
    ...TOKENS,
    token_type: "Bearer",
    id_token: "not.a.token",
    scope: OWN.join(" "),
    refresh_token: "AQR1",
    refresh_token_expires_in: 31_536_000,
  };
  const { grant } = await finish([
    [TOKEN, Response.json(tokens)],
    [USERINFO, person()],
  ]);
  expect(grant).toMatchObject({
    ok: true,
    value: {
      accounts: [
        {
          credentials: { refreshToken: "AQR1", refreshEndsAt: expect.any(Date), isEndFixed: true },
        },
      ],
      scopes: OWN,
    },
  });
});

test("asks for no pages where the app has none, whatever LinkedIn leaves out", async () => {
  const { grant, calls } = await finish(
    [
      [TOKEN, Response.json({ access_token: "AQX1", expires_in: 5_184_000 })],
      [USERINFO, person()],
    ],
    APP,
  );
  expect(grant).toMatchObject({
    ok: true,
    value: { accounts: [{ profile: { platformAccountId: PERSON } }], scopes: null, requested: OWN },
  });
  expect(calls).toHaveLength(2);
});

test.each<[string, Answer, object]>([
  ["refused connect the member alone", error(403, "ACCESS_DENIED"), { ok: true }],
  [
    "not told for now connect nobody",
    error(503, null),
    { ok: false, error: { failure: "unavailable" } },
  ],
])("pages that are %s", async (_, answer, expected) => {
  const { grant } = await finish([
    [TOKEN, Response.json(TOKENS)],
    [USERINFO, person()],
    [ROLES, answer],
  ]);
  expect(grant).toMatchObject(expected);
  if (grant?.ok) expect(grant.value.accounts).toHaveLength(1);
});

const oauth = (status: number, code: string, text: string) =>
  Response.json({ error: code, error_description: text }, { status });

test.each<[string, Answer, string]>([
  ["a dead code", oauth(401, "invalid_request", "authorization code not found"), "not found"],
  [
    "a wrong secret",
    oauth(401, "invalid_client", "Client authentication failed"),
    "LINKEDIN_CLIENT_ID",
  ],
  [
    "an unknown app",
    oauth(401, "invalid_client_id", "The passed in client_id is invalid"),
    "LINKEDIN_CLIENT_ID",
  ],
])("%s", async (_, answer, wording) => {
  const { grant } = await finish([[TOKEN, answer]]);
  expect(grant).toMatchObject({
    ok: false,
    error: { failure: "refused", message: expect.stringContaining(wording) },
  });
});

test.each([
  ["user_cancelled_login", "declined", "not allowed"],
  ["user_cancelled_authorize", "declined", "not allowed"],
  ["unauthorized_scope_error", "refused", "LINKEDIN_PAGES_CLIENT_ID"],
])("%s asks for nothing more", async (code, failure, wording) => {
  const { fetch, calls } = scriptedFetch([]);
  const grant = await linkedin.consent?.finish(fetch, backWith({ error: code }), APP);
  expect(grant).toMatchObject({
    ok: false,
    error: { failure, message: expect.stringContaining(wording) },
  });
  expect(calls).toEqual([]);
});
