import { expect, test } from "vitest";
import { tiktok } from "../../../src/platforms/tiktok/index.ts";
import { APP, backWith, REDIRECT, readAddress, START } from "../consents.ts";
import { type Answer, data, error, scriptedFetch } from "./scripted.ts";

const TOKEN = "oauth/token/";
const USER = "user/info/";
const ALL =
  "user.info.basic,video.publish,user.info.profile,user.info.stats,video.upload,video.list";

const TOKENS = {
  access_token: "act.1",
  expires_in: 7_200,
  open_id: "open-1",
  refresh_expires_in: 15_552_000,
  refresh_token: "rft.1",
  scope: ALL,
  token_type: "Bearer",
};

async function finish(tokens: Answer, users: Answer[] = [], query: object = {}) {
  const { fetch, calls } = scriptedFetch({ [TOKEN]: [tokens], [USER]: users });
  const grant = await tiktok.consent?.finish(fetch, backWith({ code: "c*!1", ...query }), APP);
  return { grant, calls };
}

test("asks anew whoever has agreed before, with a client_key and commas", async () => {
  const { fetch } = scriptedFetch();
  const consentStart = await tiktok.consent?.begin(fetch, START, APP);
  expect(consentStart?.ok && readAddress(consentStart.value.url)).toEqual({
    page: "https://www.tiktok.com/v2/auth/authorize/",
    params: {
      client_key: "id-1",
      response_type: "code",
      scope: ALL,
      redirect_uri: REDIRECT,
      state: "state-1",
      disable_auto_auth: "1",
    },
  });
});

test("asks for the optional permissions alone that the app has", async () => {
  const { fetch } = scriptedFetch();
  const consentStart = await tiktok.consent?.begin(fetch, START, {
    ...APP,
    scopes: ["video.list"],
  });
  const params = consentStart?.ok ? readAddress(consentStart.value.url).params : null;
  expect(params?.scope).toBe("user.info.basic,video.publish,video.list");
});

test("exchanges the code by a form without charset", async () => {
  const user = data({ user: { open_id: "open-1", display_name: "Ada", username: "ada" } });
  const { grant, calls } = await finish(Response.json(TOKENS), [user]);
  expect(grant).toMatchObject({
    ok: true,
    value: {
      accounts: [
        {
          profile: { platformAccountId: "open-1", accountName: "Ada", handle: "ada" },
          credentials: { accessToken: "act.1", refreshToken: "rft.1" },
        },
      ],
      scopes: ALL.split(","),
    },
  });
  expect(calls[0]?.headers["content-type"]).toBe("application/x-www-form-urlencoded");
  expect(calls[0]?.headers).not.toHaveProperty("authorization");
  expect(calls[0]?.text).toBe(
    `client_key=id-1&client_secret=secret%2F1&grant_type=authorization_code&code=c*%211&redirect_uri=${encodeURIComponent(REDIRECT)}`,
  );
});

test("takes what was granted from the callback where the tokens do not say", async () => {
  const { scope: _, ...tokens } = TOKENS;
  const { grant, calls } = await finish(Response.json(tokens), [], { scopes: "user.info.basic" });
  expect(grant).toMatchObject({ ok: true, value: { accounts: [], scopes: ["user.info.basic"] } });
  expect(calls).toHaveLength(1);
});

test("a person who leaves the profile out is known without a handle", async () => {
  const basic = data({ user: { open_id: "open-1", display_name: "Ada" } });
  const { grant } = await finish(
    Response.json({ ...TOKENS, scope: "user.info.basic,video.publish" }),
    [error(401, "scope_not_authorized"), basic],
  );
  expect(grant).toMatchObject({
    ok: true,
    value: { accounts: [{ profile: { accountName: "Ada", handle: null } }] },
  });
});

const refusal = (code: string, text: string, status = 200) =>
  Response.json({ error: code, error_description: text, log_id: "log" }, { status });

test.each<[string, Answer, string, string]>([
  [
    "a dead code, with HTTP 200",
    refusal("invalid_grant", "Authorization code is expired."),
    "refused",
    "is expired",
  ],
  [
    "wrong keys, with HTTP 200",
    refusal("invalid_client", "Client key or secret is incorrect."),
    "refused",
    "TIKTOK_CLIENT_SECRET",
  ],
  [
    "wrong keys, with HTTP 401",
    refusal("invalid_client", "Wrong", 401),
    "refused",
    "TIKTOK_CLIENT_ID",
  ],
  [
    "another redirect address",
    refusal("invalid_request", "Redirect_uri is not matched"),
    "refused",
    "Redirect_uri",
  ],
  [
    "trouble with HTTP 200",
    refusal("server_error", "Other internal server errors"),
    "unavailable",
    "internal",
  ],
  ["an outage", new Response("<html>", { status: 502 }), "unavailable", "HTTP 502"],
  ["a reply that cannot be read", new Response("<html>"), "unavailable", "cannot be read"],
])("%s", async (_, answer, failure, wording) => {
  const { grant } = await finish(answer);
  expect(grant).toMatchObject({
    ok: false,
    error: { failure, message: expect.stringContaining(wording) },
  });
});

test.each<[string, Record<string, string>, string, string]>([
  ["a no", { error: "access_denied" }, "declined", "not allowed"],
  [
    "a sandbox app",
    { error: "access_denied", error_type: "non_sandbox_target" },
    "refused",
    "target users",
  ],
  [
    "a scope that the app lacks",
    { error: "invalid_scope", error_type: "scope" },
    "refused",
    "/app/setup/tiktok, or to set APP_SCOPES",
  ],
  [
    "no Login Kit",
    { error: "unauthorized_client", error_type: "client_key" },
    "refused",
    "Login Kit",
  ],
  [
    "a passing trouble",
    { error: "temporarily_unavailable" },
    "unavailable",
    "TikTok has a problem",
  ],
])("%s in the callback asks for nothing more", async (_, query, failure, wording) => {
  const { fetch, calls } = scriptedFetch();
  const grant = await tiktok.consent?.finish(fetch, backWith(query), APP);
  expect(grant).toMatchObject({
    ok: false,
    error: { failure, message: expect.stringContaining(wording) },
  });
  expect(calls).toEqual([]);
});
