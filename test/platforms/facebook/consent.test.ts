import { describe, expect, test } from "vitest";
import type { ConsentPage } from "../../../src/platforms/consent.ts";
import { facebook } from "../../../src/platforms/facebook/index.ts";
import { APP, BACK, back, REDIRECT, readSentForm, START } from "../../support/consent-calls.ts";
import { type Answer, answeringByName } from "../../support/network.ts";
import { graphError, json } from "./scripted.ts";

const consent = facebook.consent as ConsentPage;

type Sent = Awaited<ReturnType<typeof readSentForm>>;

/** Answers by the end of the path, token calls by their purpose. */
const scriptedFetch = answeringByName(readSentForm, ({ address, method }) => {
  const path = address.replace("https://graph.facebook.com/v26.0/", "");
  return path === "oauth/access_token" ? `${method} ${path}` : path;
});

const SCOPES = ["pages_show_list", "pages_read_engagement", "pages_manage_posts"];
const ALL = [...SCOPES, "read_insights", "business_management"];
const PERSON = "9007199254740993";

const page = (id: string, more: object = {}) => ({
  id,
  name: `Page ${id}`,
  access_token: `EAA${id}`,
  tasks: ["ANALYZE", "CREATE_CONTENT"],
  ...more,
});

const debugged = (scopes: string[], granular: object[] = []) =>
  new Response(
    `{"data":{"user_id":${PERSON},"expires_at":1,"scopes":${JSON.stringify(scopes)},"granular_scopes":${JSON.stringify(granular)}}}`,
  );

const AGREED = {
  "POST oauth/access_token": [json({ access_token: "EAAshort", token_type: "bearer" })],
  "GET oauth/access_token": [json({ access_token: "EAAlong", token_type: "bearer" })],
};

const finish = async (script: Record<string, Answer<Sent>[]>, debug = debugged(SCOPES)) => {
  const fresh = Object.fromEntries(
    Object.entries(AGREED).map(([name, replies]) => [name, replies.map((reply) => reply.clone())]),
  );
  const { fetch, calls } = scriptedFetch({ ...fresh, debug_token: [debug], ...script });
  return { finished: await consent.finish(fetch, BACK, APP), calls };
};

const idsOf = ({ finished }: Awaited<ReturnType<typeof finish>>) =>
  finished.ok && finished.value.accounts.map(({ profile }) => profile.platformAccountId);

test("leads to the consent page, which asks again for what was declined", async () => {
  const consentStart = await consent.begin(scriptedFetch().fetch, START, APP);
  const url = new URL(consentStart.ok ? consentStart.value.url : "");
  expect(url.origin + url.pathname).toBe("https://www.facebook.com/v26.0/dialog/oauth");
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: "app id",
    redirect_uri: REDIRECT,
    response_type: "code",
    scope: ALL.join(","),
    state: "the state",
    auth_type: "rerequest",
  });
});

test("an app's configuration takes the place of the list of permissions", async () => {
  const app = { ...APP, configId: "123" };
  const consentStart = await consent.begin(scriptedFetch().fetch, START, app);
  const { searchParams } = new URL(consentStart.ok ? consentStart.value.url : "");
  expect(searchParams.get("config_id")).toBe("123");
  expect(searchParams.has("scope")).toBe(false);
});

test("asks for no more than the app may ask for", async () => {
  const app = { ...APP, scopes: ["read_insights"] };
  const consentStart = await consent.begin(scriptedFetch().fetch, START, app);
  const { searchParams } = new URL(consentStart.ok ? consentStart.value.url : "");
  expect(searchParams.get("scope")).toBe([...SCOPES, "read_insights"].join(","));
});

test("exchanges the code twice, asks what was granted, and lists the Pages", async () => {
  const { finished, calls } = await finish({
    "me/accounts": [json({ data: [page("11"), page("12", { username: "twelve" })] })],
  });
  const profile = { platformUserId: PERSON, service: null };
  expect(finished).toMatchObject({
    ok: true,
    value: {
      scopes: SCOPES,
      accounts: [
        {
          profile: { ...profile, platformAccountId: "11", accountName: "Page 11", handle: null },
          credentials: { accessToken: "EAA11", refreshToken: null, expiresAt: null },
        },
        { profile: { ...profile, platformAccountId: "12", handle: "twelve" } },
      ],
    },
  });
  expect(calls).toMatchObject([
    {
      method: "POST",
      address: "https://graph.facebook.com/v26.0/oauth/access_token",
      query: {},
      form: {
        client_id: "app id",
        client_secret: "app secret",
        grant_type: "authorization_code",
        redirect_uri: REDIRECT,
        code: "the code",
      },
      redirect: "manual",
    },
    { method: "GET", query: { grant_type: "fb_exchange_token", fb_exchange_token: "EAAshort" } },
    { query: { input_token: "EAAlong" }, authorization: "Bearer app id|app secret" },
    {
      query: {
        fields: "access_token,tasks,id,name,username,picture.type(large){url}",
        limit: "100",
      },
      authorization: "Bearer EAAlong",
    },
  ]);
});

describe("the Pages", () => {
  const next = (after: string) => ({
    next: `https://elsewhere.example/v26.0/me/accounts?access_token=EAAlong&after=${after}`,
  });

  test("are read to the last list, also behind an empty one, at Facebook alone", async () => {
    const { finished, calls } = await finish({
      "me/accounts": [
        json({ data: [], paging: next("A") }),
        json({ data: [page("11")], paging: next("B") }),
        json({ data: [page("12")], paging: {} }),
      ],
    });
    expect(idsOf({ finished, calls })).toEqual(["11", "12"]);
    expect(calls.slice(-2).map(({ query }) => query.after)).toEqual(["A", "B"]);
  });

  test("are not read in a circle, nor for ever", async () => {
    const round = () => json({ data: [page("11")], paging: next("A") });
    const circle = await finish({ "me/accounts": Array.from({ length: 9 }, round) });
    expect(circle.calls.filter(({ address }) => address.endsWith("me/accounts"))).toHaveLength(2);
    const endless = Array.from({ length: 99 }, (_, i) => json({ data: [], paging: next(`${i}`) }));
    const { calls } = await finish({ "me/accounts": endless });
    expect(calls.length).toBeLessThan(10);
  });

  test("of a portfolio are found there, by the copy that has a token", async () => {
    const listed = await finish(
      {
        "me/accounts": [json({ data: [] })],
        "me/businesses": [json({ data: [{ id: "7" }] })],
        "7/owned_pages": [json({ data: [page("11", { access_token: undefined }), page("12")] })],
        "7/client_pages": [json({ data: [page("11")] })],
      },
      debugged(ALL),
    );
    expect(idsOf(listed)).toEqual(["11", "12"]);
  });

  test("of a portfolio without a token are asked for one by one", async () => {
    const listed = await finish(
      {
        "me/accounts": [json({ data: [] })],
        "me/businesses": [json({ data: [{ id: "7" }] })],
        "7/owned_pages": [json({ data: [page("11", { access_token: null })] })],
        "7/client_pages": [graphError(10)],
        "11": [json(page("11"))],
      },
      debugged(ALL),
    );
    expect(idsOf(listed)).toEqual(["11"]);
  });

  test("that the permission names and no list has are asked for one by one", async () => {
    const granular = [
      { scope: "pages_show_list", target_ids: ["11", "12"] },
      { scope: "read_insights" },
    ];
    const listed = await finish(
      {
        "me/accounts": [json({ data: [page("12")] })],
        "11": [json(page("11"))],
      },
      debugged(SCOPES, granular),
    );
    expect(idsOf(listed)).toEqual(["12", "11"]);
  });

  test("are those that the permission to publish covers", async () => {
    const granular = [{ scope: "pages_manage_posts", target_ids: ["12"] }];
    const listed = await finish(
      { "me/accounts": [json({ data: [page("11"), page("12")] })] },
      debugged(SCOPES, granular),
    );
    expect(idsOf(listed)).toEqual(["12"]);
  });

  test("are those that the person may publish as", async () => {
    const listed = await finish({
      "me/accounts": [
        json({
          data: [
            page("11", { tasks: ["ANALYZE", "MODERATE"] }),
            page("12", { tasks: ["MANAGE"] }),
            page("13", { tasks: ["PROFILE_PLUS_CREATE_CONTENT"] }),
            page("14", { tasks: undefined }),
            page("15", { tasks: [] }),
          ],
        }),
      ],
    });
    expect(idsOf(listed)).toEqual(["12", "13", "14"]);
  });

  test("are an incomplete list while a part of Facebook is out of order", async () => {
    const { finished } = await finish(
      {
        "me/accounts": [json({ data: [page("11")] })],
        "me/businesses": [json({ data: [{ id: "7" }] })],
        "7/owned_pages": [graphError(2, undefined, {}, 500)],
        "7/client_pages": [json({ data: [] })],
      },
      debugged(ALL),
    );
    expect(finished).toMatchObject({ ok: false, error: { failure: "unavailable" } });
  });

  test.each<[string, object[], string]>([
    ["there is none", [], "choose a Page"],
    ["the person lacks the task", [page("11", { tasks: ["ANALYZE"] })], "publish as Page 11"],
  ])("cannot be connected where %s", async (_, data, words) => {
    const { finished } = await finish({ "me/accounts": [json({ data })] });
    expect(finished).toMatchObject({
      ok: false,
      error: { failure: "no_account", message: expect.stringContaining(words) },
    });
  });
});

test("without a permission that is needed no Page is asked for", async () => {
  const { finished, calls } = await finish({}, debugged(["pages_show_list"]));
  expect(finished).toEqual({ ok: true, value: { accounts: [], scopes: ["pages_show_list"] } });
  expect(calls).toHaveLength(3);
});

const wording = (message: string, code = 100, subcode?: number) =>
  graphError(code, subcode, { message });

test.each<[string, Response, object]>([
  [
    "a used code",
    wording("This authorization code has been used.", 100, 36_009),
    { failure: "refused", message: expect.stringContaining("has been used. Connect") },
  ],
  [
    "a wrong secret",
    wording("Error validating client secret.", 1),
    { failure: "refused", message: expect.stringContaining("FACEBOOK_CLIENT_SECRET") },
  ],
  [
    "a wrong app",
    wording("Error validating application. Invalid application ID.", 101),
    { failure: "refused", message: expect.stringContaining("FACEBOOK_CLIENT_ID") },
  ],
  [
    "another redirect address",
    wording("Please make sure your redirect_uri is identical to the one you used", 100, 36_008),
    { failure: "refused", message: expect.stringContaining(REDIRECT) },
  ],
  ["an outage", new Response("", { status: 503 }), { failure: "unavailable" }],
  [
    "too many calls of the app",
    wording("(#4) Application request limit reached", 4),
    { failure: "unavailable" },
  ],
  [
    "an unknown error",
    wording("An unknown error has occurred.", 1),
    { failure: "unavailable", message: expect.stringContaining("Try again later") },
  ],
])("is refused: %s", async (_, reply, error) => {
  const { finished } = await finish({ "POST oauth/access_token": [reply] });
  expect(finished).toMatchObject({ ok: false, error });
});

test.each(["GET oauth/access_token", "debug_token"])(
  "a token that %s refuses is no login",
  async (name) => {
    const { finished } = await finish({ [name]: [graphError(190)] });
    expect(finished).toMatchObject({ ok: false, error: { failure: "refused" } });
  },
);

test("a person who said no connects nothing", async () => {
  const { fetch, calls } = scriptedFetch();
  const query = { error: "access_denied", error_code: "200", error_reason: "user_denied" };
  expect(await consent.finish(fetch, back(query), APP)).toMatchObject({
    error: { failure: "declined" },
  });
  expect(calls).toEqual([]);
});
