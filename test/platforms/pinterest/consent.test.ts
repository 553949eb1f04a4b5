import { expect, test } from "vitest";
import { pinterest } from "../../../src/platforms/pinterest/index.ts";
import { APP, backWith, fieldsOf, REDIRECT, readAddress, START } from "../consents.ts";
import { type Answer, error, json, scriptedFetch } from "./scripted.ts";

const TOKEN = "POST /oauth/token";
const USER = "GET /user_account";
const REQUIRED = "boards:read boards:write pins:read pins:write user_accounts:read";
const SECRET = "boards:read_secret boards:write_secret pins:read_secret pins:write_secret";

const TOKENS = {
  access_token: "pina_1",
  refresh_token: "pinr_1",
  response_type: "authorization_code",
  token_type: "bearer",
  expires_in: 2_592_000,
  refresh_token_expires_in: 5_184_000,
  scope: `${REQUIRED} ${SECRET}`,
};

async function finish(tokens: Answer, user: Answer[] = [], query: object = { code: "c 1" }) {
  const { fetch, calls } = scriptedFetch({ [TOKEN]: [tokens], [USER]: user });
  const grant = await pinterest.consent?.finish(fetch, backWith({ ...query }), APP);
  return { grant, calls };
}

const addressFor = async (app: object) => {
  const consentStart = await pinterest.consent?.begin(scriptedFetch().fetch, START, {
    ...APP,
    ...app,
  });
  return consentStart?.ok ? readAddress(consentStart.value.url) : null;
};

test("asks for boards and pins, secret ones too, with commas between", async () => {
  expect(await addressFor({})).toEqual({
    page: "https://www.pinterest.com/oauth/",
    params: {
      response_type: "code",
      client_id: "id-1",
      redirect_uri: REDIRECT,
      scope: `${REQUIRED} ${SECRET}`.replaceAll(" ", ","),
      state: "state-1",
    },
  });
});

test("asks for the optional permissions alone that the app has", async () => {
  const address = await addressFor({ scopes: ["pins:read_secret", "ads:read"] });
  expect(address?.params.scope).toBe(`${REQUIRED} pins:read_secret`.replaceAll(" ", ","));
});

test("exchanges the code with the app's keys as they are", async () => {
  const user = json({ id: "7", username: "ada", business_name: "Ada & Co" });
  const { grant, calls } = await finish(json(TOKENS), [user]);
  expect(grant).toMatchObject({
    ok: true,
    value: {
      accounts: [
        {
          profile: { platformAccountId: "7", accountName: "Ada & Co", handle: "ada" },
          credentials: {
            accessToken: "pina_1",
            refreshToken: "pinr_1",
            expiresAt: expect.any(Date),
            refreshEndsAt: expect.any(Date),
          },
        },
      ],
      scopes: `${REQUIRED} ${SECRET}`.split(" "),
    },
  });
  expect(calls[0]?.headers.authorization).toBe(`Basic ${btoa("id-1:secret/1")}`);
  expect(fieldsOf(calls[0])).toEqual({
    grant_type: "authorization_code",
    code: "c 1",
    redirect_uri: REDIRECT,
    continuous_refresh: "true",
  });
});

test.each<[string, Answer, string, string]>([
  ["wrong keys", error(401, 2, "Authentication failed."), "refused", "PINTEREST_CLIENT_SECRET"],
  ["a dead code", error(401, 283, "The authorization grant is invalid"), "refused", "grant is"],
  ["a bad request", error(400, 1, "Invalid request"), "refused", "Invalid request"],
  ["an outage", error(503, 0, "Down"), "unavailable", "Down"],
  ["an outage without words", new Response(null, { status: 500 }), "unavailable", "HTTP 500"],
])("%s", async (_, answer, failure, wording) => {
  const { grant } = await finish(answer);
  expect(grant).toMatchObject({
    ok: false,
    error: { failure, message: expect.stringContaining(wording) },
  });
});

test("a person who said no is told so, and one without an answer", async () => {
  const declined = await finish(json({}), [], { error: "access_denied" });
  expect(declined.grant).toMatchObject({ ok: false, error: { failure: "declined" } });
  const silent = await finish(json({}), [], {});
  expect(silent.grant).toMatchObject({ ok: false, error: { failure: "refused" } });
  expect([...declined.calls, ...silent.calls]).toEqual([]);
});

test("a login that Pinterest refuses at once connects nothing", async () => {
  const { grant } = await finish(json(TOKENS), [error(503, 0, "Down")]);
  expect(grant).toMatchObject({ ok: false, error: { failure: "unavailable", message: "Down" } });
});
