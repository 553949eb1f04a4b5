import { expect, test } from "vitest";
import { linkedin } from "../../../src/platforms/linkedin/index.ts";
import type { AppKeys } from "../../../src/platforms/login.ts";
import { APP, backWith, readAddress, START } from "../consents.ts";
import { type Answer, error, PAGE, PERSON, scriptedFetch } from "./scripted.ts";

const PAGES: AppKeys = { ...APP, other: "linkedin_pages" };
const REQUIRED = [
  "r_basicprofile",
  "w_member_social",
  "w_organization_social",
  "r_organization_social",
  "rw_organization_admin",
];
const OPTIONAL = ["r_organization_social_feed", "r_member_postAnalytics"];

const TOKEN = "POST https://www.linkedin.com/oauth/v2/accessToken";
const ME =
  "GET https://api.linkedin.com/v2/me?projection=(id,localizedFirstName,localizedLastName,vanityName,profilePicture(displayImage~:playableStreams))";
const ROLES = "GET organizationAcls?q=roleAssignee&state=APPROVED&count=100&start=0";

const consent = linkedin.pagesApp?.consent;

const picture = (...addresses: string[]) => ({
  displayImage: "urn:li:digitalmediaAsset:1",
  "displayImage~": {
    elements: addresses.map((identifier) => ({ identifiers: [{ identifier, index: 0 }] })),
  },
});

const me = (change: object = {}) =>
  Response.json({
    id: "ada1",
    localizedFirstName: "Ada",
    localizedLastName: "Lovelace",
    vanityName: "ada",
    profilePicture: picture("https://media.licdn.com/100", "https://media.licdn.com/800"),
    ...change,
  });

test.each<[string[] | undefined, string[]]>([
  [undefined, OPTIONAL],
  [["r_member_postAnalytics"], ["r_member_postAnalytics"]],
  [[], []],
])("with APP_SCOPES %j asks for the optional permissions %j", async (scopes, optional) => {
  const app = scopes ? { ...PAGES, scopes } : PAGES;
  const begun = await consent?.begin(scriptedFetch([]).fetch, START, app);
  const { params } = readAddress(begun?.ok ? begun.value.url : "");
  expect(params.scope?.split(" ")).toEqual([...REQUIRED, ...optional]);
});

async function finish(script: [string, Answer][], query: Record<string, string> = {}) {
  const { fetch, remaining } = scriptedFetch(script);
  const grant = await consent?.finish(fetch, backWith({ code: "AQT1", ...query }), PAGES);
  return { grant, remaining };
}

const tokens = (scope = [...REQUIRED, ...OPTIONAL].join(",")) =>
  Response.json({ access_token: "AQX1", expires_in: 5_184_000, scope });

test("names the member by /v2/me, and the pages by their roles", async () => {
  const roles = { elements: [{ role: "ADMINISTRATOR", state: "APPROVED", organization: PAGE }] };
  const { grant, remaining } = await finish([
    [TOKEN, tokens()],
    [ME, me()],
    [ROLES, Response.json(roles)],
    [
      "GET organizations?ids=List(77)",
      Response.json({ results: { "77": { localizedName: "Engines" } } }),
    ],
  ]);
  expect(remaining).toEqual([]);
  expect(grant).toMatchObject({
    ok: true,
    value: {
      accounts: [
        {
          profile: {
            platformAccountId: PERSON,
            platformUserId: PERSON,
            accountName: "Ada Lovelace",
            handle: "ada",
            profileImageUrl: "https://media.licdn.com/800",
          },
        },
        { profile: { platformAccountId: PAGE, platformUserId: PERSON, accountName: "Engines" } },
      ],
      scopes: [...REQUIRED, ...OPTIONAL],
    },
  });
});

test.each<[string, object, object]>([
  [
    "no picture",
    { profilePicture: undefined },
    { accountName: "Ada Lovelace", profileImageUrl: null },
  ],
  [
    "a picture that is a URN alone",
    { profilePicture: { displayImage: "urn:li:digitalmediaAsset:1" } },
    { profileImageUrl: null },
  ],
  ["one name", { localizedLastName: "" }, { accountName: "Ada" }],
  [
    "no name",
    { localizedFirstName: null, localizedLastName: undefined, vanityName: undefined },
    { accountName: "ada1", handle: null },
  ],
])("takes a member with %s", async (_, change, profile) => {
  const { fetch } = scriptedFetch([[ME, me(change)]]);
  const credentials = { accessToken: "AQX1", refreshToken: null, expiresAt: null };
  const options = { service: null, pageId: null, app: "linkedin_pages" } as const;
  expect(await linkedin.identify(fetch, credentials, options)).toMatchObject({
    ok: true,
    value: { profile },
  });
});

test("a member who is refused connects nothing", async () => {
  const { grant } = await finish([
    [TOKEN, tokens()],
    [ME, error(403, "ACCESS_DENIED", "Not enough permissions to access: me.GET.NO_VERSION")],
  ]);
  expect(grant).toMatchObject({ ok: false, error: { failure: "refused" } });
});

test("without a permission that is needed, nobody is asked for", async () => {
  const { grant } = await finish([[TOKEN, tokens("w_member_social")]]);
  expect(grant).toMatchObject({ ok: true, value: { accounts: [], scopes: ["w_member_social"] } });
});

test.each<[string | undefined, RegExp]>([
  [
    "r_basicprofile",
    /LINKEDIN_PAGES_CLIENT_ID ask for the permission r_basicprofile\..*only product/,
  ],
  ["r_member_postAnalytics", /r_member_postAnalytics\. .*APP_SCOPES, under "linkedin_pages"/],
  [undefined, /ask for these permissions\..*only product.*APP_SCOPES/],
])("a refused permission %s says what mends it", async (scope, words) => {
  const description = scope && `Scope &quot;${scope}&quot; is not authorized for your application`;
  const { grant } = await finish([], {
    error: "unauthorized_scope_error",
    ...(description ? { error_description: description } : {}),
  });
  expect(grant).toMatchObject({
    ok: false,
    error: { failure: "refused", message: expect.stringMatching(words) },
  });
});

const unknown = () =>
  Response.json({ error: "invalid_client", error_description: "Unknown" }, { status: 401 });
const NAMED = expect.stringContaining("LINKEDIN_PAGES_CLIENT_ID and LINKEDIN_PAGES_CLIENT_SECRET");

test("a wrong secret names the variables of the pages' app, wherever it is found out", async () => {
  const { grant } = await finish([[TOKEN, unknown()]]);
  expect(grant).toMatchObject({ ok: false, error: { message: NAMED } });
  const account = {
    platformAccountId: PAGE,
    handle: null,
    service: null,
    app: "linkedin_pages",
  } as const;
  const credentials = { accessToken: "AQX1", refreshToken: "AQR1", expiresAt: null };
  for (const app of [PAGES, null]) {
    const { fetch } = scriptedFetch([[TOKEN, unknown()]]);
    expect(await linkedin.refresh(fetch, credentials, account, app)).toMatchObject({
      ok: false,
      error: { message: NAMED },
    });
  }
  const { fetch } = scriptedFetch([[TOKEN, unknown()]]);
  expect(await linkedin.checkApp?.(fetch, PAGES, "https://akimbo.test")).toMatchObject({
    verdict: "wrong",
    message: NAMED,
  });
});
