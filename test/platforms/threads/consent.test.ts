import { expect, test } from "vitest";
import type { ConsentPage } from "../../../src/platforms/consent.ts";
import { threads } from "../../../src/platforms/threads/index.ts";
import { APP, BACK, back, REDIRECT, readSentForm, START } from "../../support/consent-calls.ts";
import { answeringInOrder } from "../../support/network.ts";
import { graphError, json, USER } from "./scripted.ts";

const consent = threads.consent as ConsentPage;
const scriptedFetch = answeringInOrder(readSentForm);

/** Exceeds the exact range of numbers, as the server writes it. */
const code = () => new Response(`{"access_token":"THshort","user_id":${USER}}`);
const lasting = () => json({ access_token: "THlong", token_type: "bearer", expires_in: 5_183_944 });
const me = () => new Response(`{"id":${USER},"username":"ada","name":"Ada L."}`);
const grant = (scopes: unknown) => json({ data: { is_valid: true, scopes } });

test("leads to the consent page", async () => {
  const consentStart = await consent.begin(scriptedFetch().fetch, START, APP);
  const url = new URL(consentStart.ok ? consentStart.value.url : "");
  expect(url.origin + url.pathname).toBe("https://threads.com/oauth/authorize");
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: "app id",
    redirect_uri: REDIRECT,
    response_type: "code",
    scope:
      "threads_basic,threads_content_publish,threads_manage_insights,threads_manage_replies,threads_read_replies",
    state: "the state",
  });
});

test("exchanges the code twice, and asks whose token it is and what was granted", async () => {
  const { fetch, calls } = scriptedFetch(code(), lasting(), me(), grant(["threads_basic"]));
  expect(await consent.finish(fetch, BACK, APP)).toMatchObject({
    ok: true,
    value: {
      scopes: ["threads_basic"],
      accounts: [
        {
          profile: { platformAccountId: USER, accountName: "Ada L.", handle: "ada" },
          credentials: { accessToken: "THlong", refreshToken: null },
        },
      ],
    },
  });
  expect(calls).toMatchObject([
    {
      method: "POST",
      address: "https://graph.threads.net/oauth/access_token",
      query: {},
      type: "application/x-www-form-urlencoded",
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
      address: "https://graph.threads.net/access_token",
      query: {
        grant_type: "th_exchange_token",
        client_secret: "app secret",
        access_token: "THshort",
      },
    },
    { address: "https://graph.threads.net/v1.0/me", authorization: "Bearer THlong" },
    {
      address: "https://graph.threads.net/v1.0/debug_token",
      query: { input_token: "THlong" },
      authorization: "Bearer THlong",
    },
  ]);
});

test.each<[string, Response | Error]>([
  ["refuses to", graphError(100)],
  ["is out of order when asked to", new Response("", { status: 503 })],
  ["does not answer when asked to", new TypeError("Network connection lost.")],
  ["names none when asked to", grant([])],
  ["has another form when asked to", grant("threads_basic")],
])("does without a list of what was granted where Threads %s tell", async (_, answer) => {
  const { fetch } = scriptedFetch(code(), lasting(), me(), answer);
  expect(await consent.finish(fetch, BACK, APP)).toMatchObject({
    ok: true,
    value: { scopes: null },
  });
});

const flat = (error_message: string) =>
  json({ error_type: "OAuthException", code: 400, error_message }, 400);

test.each<[string, Response, object]>([
  [
    "a used code",
    flat("Matching code was not found or was already used"),
    { failure: "refused", message: expect.stringContaining("already used. Connect") },
  ],
  [
    "a wrong secret",
    graphError(1, undefined, { message: "Error validating client secret." }),
    { failure: "refused", message: expect.stringContaining("THREADS_CLIENT_SECRET") },
  ],
  ["an outage", new Response("", { status: 500 }), { failure: "unavailable" }],
])("is refused: %s", async (_, reply, error) => {
  const { fetch } = scriptedFetch(reply);
  expect(await consent.finish(fetch, BACK, APP)).toMatchObject({ ok: false, error });
});

test("a token of an hour that cannot be exchanged is no login", async () => {
  const { fetch } = scriptedFetch(code(), graphError(190));
  expect(await consent.finish(fetch, BACK, APP)).toMatchObject({ error: { failure: "refused" } });
});

test("a person who said no connects nothing", async () => {
  const { fetch, calls } = scriptedFetch();
  const query = { error: "access_denied", error_reason: "user_denied" };
  expect(await consent.finish(fetch, back(query), APP)).toMatchObject({
    error: { failure: "declined" },
  });
  expect(calls).toEqual([]);
});
