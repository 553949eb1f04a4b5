import { expect, test } from "vitest";
import { youtube } from "../../../src/platforms/youtube/index.ts";
import {
  APP,
  backWith,
  CHALLENGE,
  fieldsOf,
  REDIRECT,
  readAddress,
  START,
  VERIFIER,
} from "../consents.ts";
import { type Answer, CHANNELS, error, scriptedFetch } from "./scripted.ts";

const TOKEN = "POST /token";
const UPLOAD = "https://www.googleapis.com/auth/youtube.upload";
const READONLY = "https://www.googleapis.com/auth/youtube.readonly";

const TOKENS = {
  access_token: "ya29.1",
  expires_in: 3_599,
  refresh_token: "1//1",
  refresh_token_expires_in: 604_799,
  scope: `${UPLOAD} ${READONLY}`,
  token_type: "Bearer",
};

const channel = () =>
  Response.json({ items: [{ id: "UC1", snippet: { title: "Ada", customUrl: "@ada" } }] });

const CALLBACK = { code: "4/0A-1", iss: "https://accounts.google.com", authuser: "0" };

async function finish(tokens: Answer, script: Answer[] = [], query: object = CALLBACK) {
  const { fetch, calls } = scriptedFetch({ [TOKEN]: [tokens], [CHANNELS]: script });
  const grant = await youtube.consent?.finish(fetch, backWith({ ...query }), APP);
  return { grant, calls };
}

test("asks for a login that lasts, and for the account", async () => {
  const { fetch } = scriptedFetch();
  const consentStart = await youtube.consent?.begin(fetch, START, APP);
  expect(consentStart?.ok && readAddress(consentStart.value.url)).toEqual({
    page: "https://accounts.google.com/o/oauth2/v2/auth",
    params: {
      response_type: "code",
      client_id: "id-1",
      redirect_uri: REDIRECT,
      scope: `${UPLOAD} ${READONLY}`,
      state: "state-1",
      access_type: "offline",
      prompt: "consent select_account",
      code_challenge: CHALLENGE,
      code_challenge_method: "S256",
    },
  });
  expect(consentStart?.ok && consentStart.value.url).not.toContain("+");
});

test("exchanges the code for the channel's login", async () => {
  const { grant, calls } = await finish(Response.json(TOKENS), [channel()]);
  expect(grant).toMatchObject({
    ok: true,
    value: {
      accounts: [
        {
          profile: { platformAccountId: "UC1", accountName: "Ada", handle: "ada" },
          credentials: { accessToken: "ya29.1", refreshToken: "1//1" },
        },
      ],
      scopes: [UPLOAD, READONLY],
    },
  });
  expect(calls[0]).toMatchObject({ method: "POST", url: "https://oauth2.googleapis.com/token" });
  expect(fieldsOf(calls[0])).toEqual({
    grant_type: "authorization_code",
    code: "4/0A-1",
    redirect_uri: REDIRECT,
    client_id: "id-1",
    client_secret: "secret/1",
    code_verifier: VERIFIER,
  });
  expect(calls[1]?.headers.authorization).toBe("Bearer ya29.1");
});

test("tells when a login of a project under test ends for good", async () => {
  const { grant } = await finish(Response.json(TOKENS), [channel()]);
  const credentials = grant?.ok ? grant.value.accounts[0]?.credentials : undefined;
  const seconds = ((credentials?.refreshEndsAt?.getTime() ?? 0) - Date.now()) / 1_000;
  expect(Math.abs(seconds - 604_799)).toBeLessThan(60);
});

test("a login without refresh token is refused, with what to do", async () => {
  const { refresh_token: _, ...others } = TOKENS;
  const { grant, calls } = await finish(Response.json(others));
  expect(grant).toMatchObject({
    ok: false,
    error: { failure: "refused", message: expect.stringContaining("myaccount.google.com") },
  });
  expect(calls).toHaveLength(1);
});

test("a consent without a needed box asks for nothing more", async () => {
  const { grant, calls } = await finish(Response.json({ ...TOKENS, scope: UPLOAD }));
  expect(grant).toMatchObject({ ok: true, value: { accounts: [], scopes: [UPLOAD] } });
  expect(calls).toHaveLength(1);
});

test.each<[string, () => Response]>([
  ["an empty list", () => Response.json({ items: [] })],
  ["no list", () => Response.json({ pageInfo: { totalResults: 0 } })],
  ["a missing sign-up", () => error(401, "youtubeSignupRequired")],
])("an account without a channel (%s) is told so", async (_, answer) => {
  const { grant } = await finish(Response.json(TOKENS), [answer()]);
  expect(grant).toMatchObject({
    ok: false,
    error: { failure: "no_account", message: expect.stringContaining("no YouTube channel") },
  });
});

const refusal = (status: number, code: string, text: string) =>
  Response.json({ error: code, error_description: text }, { status });

test.each<[string, Answer, string, string]>([
  ["a used code", refusal(400, "invalid_grant", "Bad Request"), "refused", "Bad Request"],
  [
    "a wrong secret",
    refusal(401, "invalid_client", "Unauthorized"),
    "refused",
    "YOUTUBE_CLIENT_ID",
  ],
  ["Google's trouble", new Response("<html>", { status: 502 }), "unavailable", "HTTP 502"],
  ["too many calls", refusal(429, "rate_limit", "Slow down"), "unavailable", "Slow down"],
  ["a reply that cannot be read", new Response("<html>"), "refused", "cannot be read"],
  ["no connection", new TypeError("lost"), "unavailable", "could not be reached"],
])("%s", async (_, answer, failure, wording) => {
  const { grant } = await finish(answer);
  expect(grant).toMatchObject({
    ok: false,
    error: { failure, message: expect.stringContaining(wording) },
  });
});

test.each<[string, object, string]>([
  ["who said no", { error: "access_denied" }, "declined"],
  ["whom Google sends back", { error: "server_error" }, "unavailable"],
  ["with nothing", {}, "refused"],
  ["from another issuer", { code: "1", iss: "https://evil.example" }, "refused"],
])("asks nothing for a person %s", async (_, query, failure) => {
  const { fetch, calls } = scriptedFetch();
  const grant = await youtube.consent?.finish(fetch, backWith({ ...query }), APP);
  expect(grant).toMatchObject({ ok: false, error: { failure } });
  expect(calls).toEqual([]);
});
