import { describe, expect, test } from "vitest";
import type { ConsentPage } from "../../../src/platforms/consent.ts";
import { instagram } from "../../../src/platforms/instagram/index.ts";
import { APP, BACK, back, REDIRECT, readSentForm, START } from "../../support/consent-calls.ts";
import { answeringInOrder } from "../../support/network.ts";
import { graphError, IG, json } from "./scripted.ts";

const consent = instagram.consent as ConsentPage;
const scriptedFetch = answeringInOrder(readSentForm);

const ME = `{"user_id":"${IG}","id":27640875392278831,"username":"ada","name":"Ada L.","account_type":"BUSINESS"}`;
const me = () => new Response(ME);
const lasting = () => json({ access_token: "IGlong", token_type: "bearer", expires_in: 5_183_944 });
/** Exceeds the exact range of numbers, as the server writes it. */
const code = (permissions: string) =>
  new Response(
    `{"access_token":"IGshort","user_id":27640875392278831,"permissions":${permissions}}`,
  );

test("leads to the consent page, which asks for the account anew", async () => {
  const consentStart = await consent.begin(scriptedFetch().fetch, START, APP);
  const url = new URL(consentStart.ok ? consentStart.value.url : "");
  expect(url.origin + url.pathname).toBe("https://www.instagram.com/oauth/authorize");
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: "app id",
    redirect_uri: REDIRECT,
    response_type: "code",
    scope:
      "instagram_business_basic,instagram_business_content_publish,instagram_business_manage_insights",
    state: "the state",
    force_reauth: "true",
    enable_fb_login: "false",
  });
});

test("exchanges the code twice and asks whose token it is", async () => {
  const { fetch, calls } = scriptedFetch(code('["instagram_business_basic"]'), lasting(), me());
  const finished = await consent.finish(fetch, BACK, APP);
  expect(finished).toMatchObject({
    ok: true,
    value: {
      scopes: ["instagram_business_basic"],
      accounts: [
        {
          profile: {
            platformAccountId: IG,
            platformUserId: "27640875392278831",
            accountName: "Ada L.",
            handle: "ada",
          },
          credentials: { accessToken: "IGlong", refreshToken: null },
        },
      ],
    },
  });
  expect(calls).toMatchObject([
    {
      method: "POST",
      address: "https://api.instagram.com/oauth/access_token",
      query: {},
      type: "multipart/form-data",
      form: {
        client_id: "app id",
        client_secret: "app secret",
        grant_type: "authorization_code",
        redirect_uri: REDIRECT,
        code: "the code",
      },
      redirect: "manual",
    },
    {
      method: "GET",
      address: "https://graph.instagram.com/access_token",
      query: {
        grant_type: "ig_exchange_token",
        client_secret: "app secret",
        access_token: "IGshort",
      },
    },
    {
      address: "https://graph.instagram.com/v26.0/me",
      query: { fields: "id,user_id,username,name,account_type,profile_picture_url" },
      authorization: "Bearer IGlong",
    },
  ]);
});

test.each([
  ["one text", '"a,b"', ["a", "b"]],
  ["a list", '["a","b"]', ["a", "b"]],
  ["nothing", "null", null],
])("reads permissions that come as %s", async (_, permissions, scopes) => {
  const { fetch } = scriptedFetch(code(permissions), lasting(), me());
  expect(await consent.finish(fetch, BACK, APP)).toMatchObject({ value: { scopes } });
});

test("reads replies that are the one item of a list, as the reference has them", async () => {
  const { fetch } = scriptedFetch(
    json({ data: [{ access_token: "IGshort", user_id: "1", permissions: "a,b" }] }),
    lasting(),
    json({ data: [{ user_id: IG, username: "ada" }] }),
  );
  expect(await consent.finish(fetch, BACK, APP)).toMatchObject({
    value: { scopes: ["a", "b"], accounts: [{ profile: { platformAccountId: IG } }] },
  });
});

test("takes the end of a copied address off the code", async () => {
  const { fetch, calls } = scriptedFetch(code("[]"), lasting(), me());
  await consent.finish(fetch, back({ code: "the code#_" }), APP);
  expect(calls[0]?.form.code).toBe("the code");
});

describe("what is refused", () => {
  const flat = (error_message: string) =>
    json({ error_type: "OAuthException", code: 400, error_message }, 400);

  test.each<[string, Response, object]>([
    [
      "a used code",
      flat("Matching code was not found or was already used"),
      { failure: "refused", message: expect.stringContaining("already used. Connect") },
    ],
    [
      // Also the words for a wrong secret.
      "another redirect address",
      flat("Error validating verification code. Please make sure your redirect_uri is identical"),
      { failure: "refused", message: expect.stringContaining("INSTAGRAM_CLIENT_SECRET, and that") },
    ],
    [
      "an app that is not known",
      flat("Invalid platform app"),
      {
        failure: "refused",
        message: expect.stringMatching(/INSTAGRAM_CLIENT_ID.*The id is the Instagram app id/),
      },
    ],
    [
      "a permission that the app lacks",
      flat("Invalid Scopes: instagram_business_manage_insights"),
      {
        failure: "refused",
        message: expect.stringMatching(/manage_insights.*\/app\/setup\/instagram.*APP_SCOPES/),
      },
    ],
    [
      "a refusal in the other form",
      graphError(1, undefined, { message: "Error validating client secret." }),
      { failure: "refused", message: expect.stringContaining("INSTAGRAM_CLIENT_SECRET") },
    ],
    ["an outage", new Response("", { status: 502 }), { failure: "unavailable" }],
    ["too many calls", graphError(4, undefined, {}, 429), { failure: "unavailable" }],
    ["a page instead of JSON", new Response("<html>"), { failure: "refused" }],
  ])("%s, at the code", async (_, reply, error) => {
    const { fetch } = scriptedFetch(reply);
    expect(await consent.finish(fetch, BACK, APP)).toMatchObject({ ok: false, error });
  });

  test("a token of an hour that cannot be exchanged: it would end at once", async () => {
    const refusal = graphError(100, undefined, { message: "Error validating client secret" });
    const { fetch } = scriptedFetch(code("[]"), refusal);
    expect(await consent.finish(fetch, BACK, APP)).toMatchObject({
      error: { failure: "refused", message: expect.stringContaining("INSTAGRAM_CLIENT_SECRET") },
    });
  });

  test("a personal account", async () => {
    const person = json({ user_id: IG, username: "ada", account_type: "Personal" });
    const { fetch } = scriptedFetch(code("[]"), lasting(), person);
    expect(await consent.finish(fetch, BACK, APP)).toMatchObject({
      error: { failure: "refused", message: expect.stringContaining("Switch it") },
    });
  });

  test("a person who said no: nobody is asked anything", async () => {
    const { fetch, calls } = scriptedFetch();
    const query = {
      error: "access_denied",
      error_reason: "user_denied",
      error_description: "The user denied your request",
    };
    expect(await consent.finish(fetch, back(query), APP)).toMatchObject({
      error: { failure: "declined" },
    });
    expect(calls).toEqual([]);
  });
});
