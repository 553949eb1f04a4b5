import { expect, test } from "vitest";
import { googleBusiness } from "../../../src/platforms/google_business/index.ts";
import { APP, backWith, CHALLENGE, REDIRECT, readAddress, START } from "../consents.ts";
import {
  ACCOUNTS,
  type Answer,
  error,
  info,
  LOCATION,
  locationsOf,
  noQuota,
  scriptedFetch,
} from "./scripted.ts";

const MANAGE = "https://www.googleapis.com/auth/business.manage";
const TOKENS = {
  access_token: "ya29.1",
  expires_in: 3_599,
  refresh_token: "1//1",
  scope: MANAGE,
  token_type: "Bearer",
};
const CALLBACK = { code: "4/0A-1", iss: "https://accounts.google.com" };

const accounts = (...list: [id: string, type?: string][]) =>
  Response.json({
    accounts: list.map(([id, type = "PERSONAL"]) => ({ name: `accounts/${id}`, type })),
  });

const locations = (...list: [id: string, canOperateLocalPost?: boolean][]) =>
  Response.json({
    locations: list.map(([id, canOperateLocalPost]) => ({
      name: `locations/${id}`,
      title: `Location ${id}`,
      metadata: canOperateLocalPost === undefined ? {} : { canOperateLocalPost },
    })),
  });

async function finish(script: Record<string, Answer[]>, tokens: object = TOKENS) {
  const { fetch, calls } = scriptedFetch({ "POST /token": [Response.json(tokens)], ...script });
  const grant = await googleBusiness.consent?.finish(fetch, backWith({ ...CALLBACK }), APP);
  const granted = grant?.ok ? grant.value.accounts : [];
  return { grant, calls, ids: granted.map(({ profile }) => profile.platformAccountId) };
}

test("asks for a login that lasts, with one scope", async () => {
  const begun = await googleBusiness.consent?.begin(scriptedFetch().fetch, START, APP);
  expect(begun?.ok && readAddress(begun.value.url)).toEqual({
    page: "https://accounts.google.com/o/oauth2/v2/auth",
    params: {
      response_type: "code",
      client_id: "id-1",
      redirect_uri: REDIRECT,
      scope: MANAGE,
      state: "state-1",
      access_type: "offline",
      prompt: "consent select_account",
      code_challenge: CHALLENGE,
      code_challenge_method: "S256",
    },
  });
});

test("offers the locations of all accounts, each once, and those that may post", async () => {
  const { grant, calls, ids } = await finish({
    [ACCOUNTS]: [accounts(["1"], ["9", "LOCATION_GROUP"])],
    [locationsOf("1")]: [locations(["2"], ["3"], ["4", false])],
    [locationsOf("9")]: [locations(["2", true], ["5"])],
  });
  // The group's pair is the one that other people see too.
  expect(ids).toEqual([
    "accounts/9/locations/2",
    "accounts/9/locations/5",
    "accounts/1/locations/3",
  ]);
  expect(grant).toMatchObject({
    value: {
      accounts: [
        {
          profile: { accountName: "Location 2", handle: null, profileImageUrl: null },
          credentials: { accessToken: "ya29.1", refreshToken: "1//1" },
        },
        {},
        {},
      ],
      scopes: [MANAGE],
    },
  });
  expect(calls.at(-1)).toMatchObject({
    query: { readMask: "name,title,metadata", pageSize: "100" },
    headers: { authorization: "Bearer ya29.1" },
  });
});

test("names the same pair whatever the order in which Google lists the accounts", async () => {
  const script = (...order: [string, string?][]) => ({
    [ACCOUNTS]: [accounts(...order)],
    [locationsOf("1")]: [locations(["2"])],
    [locationsOf("7")]: [locations(["2"])],
  });
  expect((await finish(script(["7"], ["1"]))).ids).toEqual([LOCATION]);
  expect((await finish(script(["1"], ["7"]))).ids).toEqual([LOCATION]);
});

test("reads all pages of accounts and of locations", async () => {
  const next = async (reply: Response) =>
    Response.json({ ...(await reply.json<object>()), nextPageToken: "more" });
  const { ids, calls } = await finish({
    [ACCOUNTS]: [await next(accounts(["1"])), accounts(["3"])],
    [locationsOf("1")]: [await next(locations(["2"])), locations(["4"])],
    [locationsOf("3")]: [locations(["5"])],
  });
  expect(ids).toHaveLength(3);
  expect(calls.filter(({ query }) => query.pageToken === "more")).toHaveLength(2);
});

test("leaves out an account that alone refuses its list", async () => {
  const { ids } = await finish({
    [ACCOUNTS]: [accounts(["1"], ["3"])],
    [locationsOf("1")]: [locations(["2"])],
    [locationsOf("3")]: [error(403, "The caller does not have permission")],
  });
  expect(ids).toEqual([LOCATION]);
});

test.each<[string, Record<string, Answer[]>, string, RegExp]>([
  [
    "no location",
    { [ACCOUNTS]: [accounts(["1"])], [locationsOf("1")]: [Response.json({})] },
    "no_account",
    /manages no location/,
  ],
  [
    "none that may post",
    { [ACCOUNTS]: [accounts(["1"])], [locationsOf("1")]: [locations(["2", false])] },
    "no_account",
    /does not let programs publish posts at Location 2.*not verified/,
  ],
  ["no approval", { [ACCOUNTS]: [noQuota()] }, "unavailable", /quota is 0.*“Apply for access”/],
  [
    "an API that is off",
    {
      [ACCOUNTS]: [
        error(403, "Off.", [
          info("SERVICE_DISABLED", { service: "mybusinessaccountmanagement.googleapis.com" }),
        ]),
      ],
    },
    "unavailable",
    /“Enable the APIs”/,
  ],
  [
    "an outage",
    { [ACCOUNTS]: [accounts(["1"])], [locationsOf("1")]: [error(503, "Down.")] },
    "unavailable",
    /Down/,
  ],
])("connects nothing with %s, and says why", async (_, script, failure, message) => {
  const { grant } = await finish(script);
  expect(grant).toMatchObject({
    ok: false,
    error: { failure, message: expect.stringMatching(message) },
  });
});

test("refuses a login that lasts an hour alone", async () => {
  const { refresh_token: _, ...short } = TOKENS;
  const { grant } = await finish({}, short);
  expect(grant).toMatchObject({
    ok: false,
    error: { message: expect.stringMatching(/lasts longer than an hour.*location again/) },
  });
});

const CREDENTIALS = { accessToken: "ya29.1", refreshToken: "1//1", expiresAt: null };
const identify = (fetch: ReturnType<typeof scriptedFetch>["fetch"], pageId: string | null) =>
  googleBusiness.identify(fetch, CREDENTIALS, { service: null, pageId });

test("knows a location again by its own account alone", async () => {
  const { fetch, calls } = scriptedFetch({ [locationsOf("1")]: [locations(["3"], ["2"])] });
  expect(await identify(fetch, LOCATION)).toMatchObject({
    ok: true,
    value: { profile: { platformAccountId: LOCATION } },
  });
  expect(calls).toHaveLength(1);
});

test("does not know a location that is gone", async () => {
  const { fetch } = scriptedFetch({ [locationsOf("1")]: [locations(["3"])] });
  expect(await identify(fetch, LOCATION)).toMatchObject({ ok: false, error: { final: true } });
});

test("refuses an id that is no path of a location", async () => {
  const { fetch, calls } = scriptedFetch();
  expect(await identify(fetch, "locations/2")).toMatchObject({
    ok: false,
    error: { field: "pageId" },
  });
  expect(calls).toEqual([]);
});
