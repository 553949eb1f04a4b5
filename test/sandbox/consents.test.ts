import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test } from "vitest";
import { moveClock } from "../../src/core/clock.ts";
import type { Platform } from "../../src/core/platforms.ts";
import type { Fetch } from "../../src/platforms/connector.ts";
import { createSandboxFetch } from "../../src/sandbox/fetch.ts";
import { unique } from "./support.ts";

afterEach(() => moveClock(0));

const REDIRECT = "https://akimbo.test/oauth/callback/it";
const CLIENT = "client-1";
/** A verifier and its challenge. Source: RFC 7636, appendix B. */
const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

const networkOf = (teamId: number, platform: Platform | null = null): Fetch =>
  createSandboxFetch(env.SANDBOX_STATE, { teamId, accountId: null, uploadId: null, platform });

const FORM = "application/x-www-form-urlencoded";

type Fields = Record<string, string>;

/** Fields of the exchange, under the names that most platforms have for them. */
interface Exchange {
  code: string;
  client?: string;
  secret?: string;
  redirect?: string;
  verifier?: string;
  contentType?: string;
}

interface Rules {
  platform: Platform;
  page: string;
  /** The parameters of the page beyond the redirect address, the state and the scopes. */
  params: Fields;
  scopes: string[];
  separator: string;
  /** A scope that may be left out. */
  optional: string;
  codeSeconds: number;
  token: string;
  /** The app's keys in the platform's way. */
  keysOf(client: string, secret: string): { fields?: Fields; headers?: Fields };
  isProving?: boolean;
  /** Refusals: status, and what stands in the body. */
  dead: [status: number, words: string];
  unknown?: [status: number, words: string];
  otherClient: [status: number, words: string];
  otherRedirect: [status: number, words: string];
  declined: string;
  /** Reply to a scope that does not exist: status, and the error that goes back to the app. */
  strangeScope: [status: number, error: string | null];
}

const basic = (client: string, secret: string) => ({
  headers: { authorization: `Basic ${btoa(`${client}:${secret}`)}` },
});
const inBody = (client_id: string, client_secret: string) => ({
  fields: { client_id, client_secret },
});

const GOOGLE = "https://www.googleapis.com/auth/";
const OTHER_CODE = "does not match authorization code";

const RULES: Rules[] = [
  {
    platform: "tiktok",
    page: "https://www.tiktok.com/v2/auth/authorize/",
    params: { client_key: CLIENT, disable_auto_auth: "1" },
    scopes: ["user.info.basic", "video.publish", "video.list"],
    separator: ",",
    optional: "video.list",
    codeSeconds: 600,
    token: "https://open.tiktokapis.com/v2/oauth/token/",
    keysOf: (client_key, client_secret) => ({ fields: { client_key, client_secret } }),
    dead: [200, "invalid_grant"],
    otherClient: [200, "invalid_grant"],
    otherRedirect: [200, "Redirect_uri is not matched"],
    declined: "access_denied",
    strangeScope: [400, null],
  },
  {
    platform: "youtube",
    page: "https://accounts.google.com/o/oauth2/v2/auth",
    params: { client_id: CLIENT, access_type: "offline", prompt: "consent select_account" },
    scopes: [`${GOOGLE}youtube.upload`, `${GOOGLE}youtube.readonly`],
    separator: " ",
    optional: `${GOOGLE}youtube.readonly`,
    codeSeconds: 600,
    token: "https://oauth2.googleapis.com/token",
    keysOf: inBody,
    isProving: true,
    dead: [400, "invalid_grant"],
    unknown: [400, "Malformed auth code."],
    otherClient: [400, "invalid_grant"],
    otherRedirect: [400, "redirect_uri_mismatch"],
    declined: "access_denied",
    strangeScope: [400, null],
  },
  {
    platform: "google_business",
    page: "https://accounts.google.com/o/oauth2/v2/auth",
    params: { client_id: CLIENT, access_type: "offline", prompt: "consent select_account" },
    scopes: [`${GOOGLE}business.manage`, `${GOOGLE}plus.business.manage`],
    separator: " ",
    optional: `${GOOGLE}plus.business.manage`,
    codeSeconds: 600,
    token: "https://oauth2.googleapis.com/token",
    keysOf: inBody,
    isProving: true,
    dead: [400, "invalid_grant"],
    unknown: [400, "Malformed auth code."],
    otherClient: [400, "invalid_grant"],
    otherRedirect: [400, "redirect_uri_mismatch"],
    declined: "access_denied",
    strangeScope: [400, null],
  },
  {
    platform: "linkedin",
    page: "https://www.linkedin.com/oauth/v2/authorization",
    params: { client_id: CLIENT },
    scopes: ["openid", "profile", "w_member_social", "rw_organization_admin"],
    separator: " ",
    optional: "rw_organization_admin",
    codeSeconds: 1_800,
    token: "https://www.linkedin.com/oauth/v2/accessToken",
    keysOf: inBody,
    dead: [400, OTHER_CODE],
    unknown: [401, "authorization code not found"],
    otherClient: [400, OTHER_CODE],
    otherRedirect: [400, OTHER_CODE],
    declined: "user_cancelled_authorize",
    strangeScope: [302, "unauthorized_scope_error"],
  },
  {
    platform: "pinterest",
    page: "https://www.pinterest.com/oauth/",
    params: { client_id: CLIENT },
    scopes: ["boards:read", "pins:write", "boards:read_secret", "user_accounts:read"],
    separator: ",",
    optional: "boards:read_secret",
    codeSeconds: 600,
    token: "https://api.pinterest.com/v5/oauth/token",
    keysOf: basic,
    dead: [401, "The authorization grant is invalid"],
    otherClient: [401, "Authentication failed."],
    otherRedirect: [401, "The authorization grant is invalid"],
    declined: "access_denied",
    strangeScope: [400, null],
  },
];

describe.each(RULES)("$platform", (rules) => {
  const { page, params, scopes, separator, token, keysOf, isProving = false } = rules;

  const addressWith = (change: Record<string, string | null> = {}): string => {
    const url = new URL(page);
    const all: Record<string, string | null> = {
      ...params,
      response_type: "code",
      redirect_uri: REDIRECT,
      state: "state-1",
      scope: scopes.join(separator),
      ...(isProving ? { code_challenge: CHALLENGE, code_challenge_method: "S256" } : {}),
      ...change,
    };
    for (const [name, value] of Object.entries(all)) {
      if (value !== null) url.searchParams.set(name, value);
    }
    return url.href;
  };

  async function answer(
    fetch: Fetch,
    { decision = "allow", granted = scopes, address = addressWith() } = {},
  ): Promise<URLSearchParams> {
    const body = new URLSearchParams({ name: "Ada", decision });
    for (const scope of granted) body.append("scope", scope);
    const reply = await fetch(address, { method: "POST", body, redirect: "manual" });
    expect(reply.status).toBe(302);
    const back = new URL(reply.headers.get("location") ?? "");
    expect(back.origin + back.pathname).toBe(REDIRECT);
    expect(back.searchParams.get("state")).toBe("state-1");
    return back.searchParams;
  }

  const codeFrom = async (fetch: Fetch): Promise<string> => (await answer(fetch)).get("code") ?? "";

  async function exchange(fetch: Fetch, input: Exchange) {
    const { code, client = CLIENT, secret = "secret", redirect = REDIRECT } = input;
    const { verifier = isProving ? VERIFIER : "", contentType = FORM } = input;
    const { fields, headers } = keysOf(client, secret);
    const body = new URLSearchParams({
      grant_type: "authorization_code",
      code,
      redirect_uri: redirect,
      ...fields,
      ...(verifier ? { code_verifier: verifier } : {}),
    });
    const reply = await fetch(token, {
      method: "POST",
      headers: { "content-type": contentType, ...headers },
      body: body.toString(),
    });
    const text = await reply.text();
    // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
    return { status: reply.status, text, body: JSON.parse(text) as any };
  }

  const network = () => networkOf(unique(), rules.platform);

  test("shows what is asked for", async () => {
    const reply = await network()(addressWith());
    expect(reply.status).toBe(200);
    const html = await reply.text();
    for (const scope of scopes) expect(html).toContain(`value="${scope}"`);
  });

  test("gives tokens for a code, and says what was granted", async () => {
    const fetch = network();
    const granted = scopes.filter((scope) => scope !== rules.optional);
    const query = await answer(fetch, { granted });
    const { status, body } = await exchange(fetch, { code: query.get("code") ?? "" });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      expires_in: expect.any(Number),
    });
    expect(body.scope.split(/[ ,]/)).toEqual(granted);
  });

  test("tells of a person who says no in its own words", async () => {
    const query = await answer(network(), { decision: "refuse" });
    expect(query.get("error")).toBe(rules.declined);
    expect(query.has("code")).toBe(false);
  });

  const refuses = async (
    [status, words]: [number, string],
    reply: Promise<{ status: number; text: string }>,
  ) => {
    const told = await reply;
    expect(told.status, told.text).toBe(status);
    expect(told.text).toContain(words);
    expect(told.text).not.toContain("access_token");
  };

  test("a code counts once", async () => {
    const fetch = network();
    const code = await codeFrom(fetch);
    expect((await exchange(fetch, { code })).status).toBe(200);
    await refuses(rules.dead, exchange(fetch, { code }));
  });

  test("a code ends", async () => {
    const fetch = network();
    const code = await codeFrom(fetch);
    moveClock(rules.codeSeconds + 1);
    await refuses(rules.dead, exchange(fetch, { code }));
  });

  test("a code lives until then", async () => {
    const fetch = network();
    const code = await codeFrom(fetch);
    moveClock(rules.codeSeconds - 30);
    expect((await exchange(fetch, { code })).body.access_token).toBeDefined();
  });

  test("a code of nobody, or of another team, is unknown", async () => {
    const fetch = network();
    const refusal = rules.unknown ?? rules.dead;
    await refuses(refusal, exchange(fetch, { code: "no" }));
    await refuses(refusal, exchange(fetch, { code: await codeFrom(network()) }));
  });

  test.each<[string, "otherClient" | "otherRedirect", Partial<Exchange>]>([
    ["another app", "otherClient", { client: "client-2" }],
    ["another redirect address", "otherRedirect", { redirect: `${REDIRECT}/` }],
  ])("a code is refused for %s", async (_, refusal, change) => {
    const fetch = network();
    const code = await codeFrom(fetch);
    await refuses(rules[refusal], exchange(fetch, { code, ...change }));
  });

  test.each([
    ["no app", { client_id: null, client_key: null }],
    ["no redirect address", { redirect_uri: null }],
    ["a redirect address that is none", { redirect_uri: "here" }],
    ["another response type", { response_type: "token" }],
    ["no scope", { scope: null }],
  ])("shows no page for %s", async (_, change) => {
    const reply = await network()(addressWith(change));
    expect(reply.status).toBe(400);
  });

  test("asks nobody for a scope that it does not know", async () => {
    const scope = [...scopes, "everything"].join(separator);
    const reply = await network()(addressWith({ scope }), { redirect: "manual" });
    const [status, error] = rules.strangeScope;
    expect(reply.status).toBe(status);
    const back = new URL(reply.headers.get("location") ?? REDIRECT).searchParams;
    expect(back.get("error")).toBe(error);
    expect(back.get("state")).toBe(error && "state-1");
  });

  test("gives nothing without the app's secret", async () => {
    const fetch = network();
    const code = await codeFrom(fetch);
    const { text } = await exchange(fetch, { code, secret: "" });
    expect(text).not.toContain("access_token");
  });

  if (isProving) {
    test.each([
      ["a wrong verifier", `${VERIFIER}x`, "Invalid code verifier."],
      ["no verifier", "", "Missing code verifier."],
    ])("refuses %s", async (_, verifier, words) => {
      const fetch = network();
      const code = await codeFrom(fetch);
      await refuses([400, words], exchange(fetch, { code, verifier }));
    });
  }
});

const of = (platform: string) => RULES.find((rules) => rules.platform === platform) as Rules;

/** A code that a person gave to a page with these parameters. */
async function codeOf(fetch: Fetch, platform: string, change: Fields = {}): Promise<string> {
  const { page, params, scopes, separator } = of(platform);
  const url = new URL(page);
  url.search = new URLSearchParams({
    ...params,
    response_type: "code",
    redirect_uri: REDIRECT,
    scope: scopes.join(separator),
    ...change,
  }).toString();
  const body = new URLSearchParams({ name: "Ada", decision: "allow" });
  for (const scope of url.searchParams.get("scope")?.split(separator) ?? []) {
    body.append("scope", scope);
  }
  const reply = await fetch(url, { method: "POST", body, redirect: "manual" });
  return new URL(reply.headers.get("location") ?? "").searchParams.get("code") ?? "";
}

const redeem = (fetch: Fetch, platform: string, code: string, more: Fields = {}, type = FORM) => {
  const fields = { grant_type: "authorization_code", code, redirect_uri: REDIRECT, ...more };
  const body = new URLSearchParams({ ...of(platform).keysOf(CLIENT, "s").fields, ...fields });
  return fetch(of(platform).token, {
    method: "POST",
    headers: { "content-type": type },
    body: body.toString(),
  });
};

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
const bodyOf = (reply: Response): Promise<any> => reply.json();

test("TikTok refuses a form that names its charset", async () => {
  const fetch = networkOf(unique());
  const code = await codeOf(fetch, "tiktok");
  const reply = await redeem(fetch, "tiktok", code, {}, `${FORM};charset=UTF-8`);
  expect(reply.status).toBe(200);
  expect((await bodyOf(reply)).error).toBe("invalid_request");
});

test("Google gives a refresh token to who is asked anew, or for the first time", async () => {
  const fetch = networkOf(unique());
  const hasRefresh = async (change: Fields) => {
    const code = await codeOf(fetch, "youtube", change);
    return "refresh_token" in (await bodyOf(await redeem(fetch, "youtube", code)));
  };
  expect(await hasRefresh({ prompt: "select_account", access_type: "online" })).toBe(false);
  const other = networkOf(unique());
  const first = await codeOf(other, "youtube", { prompt: "none" });
  expect(await bodyOf(await redeem(other, "youtube", first))).toHaveProperty("refresh_token");
  const second = await codeOf(other, "youtube", { prompt: "none" });
  expect(await bodyOf(await redeem(other, "youtube", second))).not.toHaveProperty("refresh_token");
  expect(await hasRefresh({ prompt: "consent" })).toBe(true);
});

test("LinkedIn takes a verifier for a wrong secret", async () => {
  const fetch = networkOf(unique());
  const code = await codeOf(fetch, "linkedin");
  const reply = await redeem(fetch, "linkedin", code, { code_verifier: VERIFIER });
  expect(reply.status).toBe(401);
  expect((await bodyOf(reply)).error).toBe("invalid_client");
});

test("LinkedIn says who agreed, and not what kind of token it gives", async () => {
  const fetch = networkOf(unique());
  const body = await bodyOf(await redeem(fetch, "linkedin", await codeOf(fetch, "linkedin")));
  expect(body).not.toHaveProperty("token_type");
  expect(body.id_token.split(".")).toHaveLength(3);
});

/** The status of a call with a token for these scopes. */
async function statusWith(platform: Platform, scope: string, url: string): Promise<number> {
  const fetch = networkOf(unique(), platform);
  const code = await codeOf(fetch, platform, { scope });
  const { access_token } = await bodyOf(await redeem(fetch, platform, code));
  const headers = {
    authorization: `Bearer ${access_token}`,
    "linkedin-version": "202609",
    "x-restli-protocol-version": "2.0.0",
  };
  return (await fetch(url, { headers })).status;
}

test.each<[Platform, string, string, string, number]>([
  [
    "google_business",
    "https://mybusinessaccountmanagement.googleapis.com/v1/accounts",
    `${GOOGLE}business.manage`,
    `${GOOGLE}plus.business.manage`,
    403,
  ],
  [
    "tiktok",
    "https://open.tiktokapis.com/v2/user/info/?fields=open_id,username",
    "user.info.basic,user.info.profile",
    "user.info.basic",
    401,
  ],
  [
    "youtube",
    "https://www.googleapis.com/youtube/v3/channels?part=id&mine=true",
    `${GOOGLE}youtube.readonly`,
    `${GOOGLE}youtube.upload`,
    403,
  ],
  [
    "linkedin",
    "https://api.linkedin.com/rest/organizationAcls?q=roleAssignee",
    "openid rw_organization_admin",
    "openid",
    403,
  ],
])("a token of %s is for what was granted", async (platform, url, enough, less, status) => {
  expect(await statusWith(platform, enough, url)).toBe(200);
  expect(await statusWith(platform, less, url)).toBe(status);
});

test.each([
  ["openid w_member_social", 201],
  ["openid w_organization_social", 403],
])("a LinkedIn member who agreed to %s posts with %i", async (scope, status) => {
  const fetch = networkOf(unique());
  const code = await codeOf(fetch, "linkedin", { scope });
  const { access_token } = await bodyOf(await redeem(fetch, "linkedin", code));
  const headers = {
    authorization: `Bearer ${access_token}`,
    "content-type": "application/json",
    "linkedin-version": "202609",
    "x-restli-protocol-version": "2.0.0",
  };
  const { sub } = await bodyOf(await fetch("https://api.linkedin.com/v2/userinfo", { headers }));
  const post = {
    author: `urn:li:person:${sub}`,
    commentary: "Hello",
    visibility: "PUBLIC",
    distribution: {
      feedDistribution: "MAIN_FEED",
      targetEntities: [],
      thirdPartyDistributionChannels: [],
    },
    lifecycleState: "PUBLISHED",
    isReshareDisabledByAuthor: false,
  };
  const body = JSON.stringify(post);
  const init = { method: "POST", headers, body };
  const reply = await fetch("https://api.linkedin.com/rest/posts", init);
  expect(reply.status, await reply.text()).toBe(status);
});
