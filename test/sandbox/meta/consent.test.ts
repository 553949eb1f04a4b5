import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { createSandboxFetch } from "../../../src/sandbox/fetch.ts";
import { START } from "../../support/harness.ts";

const REDIRECT = "https://akimbo.test/oauth/callback/there";

interface Place {
  platform: string;
  page: string;
  tokens: string;
  scopes: string[];
  codeSeconds: number;
  /** Words of the refusals. */
  unknown: RegExp;
  used: RegExp;
  noSecret: RegExp;
  otherApp: RegExp;
}

const PLACES: Place[] = [
  {
    platform: "facebook",
    page: "https://www.facebook.com/v26.0/dialog/oauth",
    tokens: "https://graph.facebook.com/v26.0/oauth/access_token",
    scopes: ["pages_show_list", "pages_manage_posts", "business_management"],
    codeSeconds: 600,
    unknown: /Invalid verification code format/,
    used: /has been used/,
    noSecret: /validating client secret/,
    otherApp: /validating application/,
  },
  {
    platform: "instagram",
    page: "https://www.instagram.com/oauth/authorize",
    tokens: "https://api.instagram.com/oauth/access_token",
    scopes: ["instagram_business_basic", "instagram_business_content_publish"],
    codeSeconds: 3_600,
    unknown: /Matching code was not found/,
    used: /already used/,
    noSecret: /redirect_uri is identical/,
    otherApp: /Invalid platform app/,
  },
  {
    platform: "threads",
    page: "https://threads.com/oauth/authorize",
    tokens: "https://graph.threads.com/oauth/access_token",
    scopes: ["threads_basic", "threads_content_publish"],
    codeSeconds: 3_600,
    unknown: /Matching code was not found/,
    used: /already used/,
    noSecret: /redirect_uri is identical/,
    otherApp: /validating application/,
  },
];

let serial = 8_000;
let teamId: number;

beforeEach(() => {
  vi.useFakeTimers({ now: START, toFake: ["Date"] });
  teamId = ++serial;
});

const networkOf = (team: number) =>
  createSandboxFetch(env.SANDBOX_STATE, { teamId: team, accountId: null, uploadId: null });
const network: ReturnType<typeof networkOf> = (input, init) => networkOf(teamId)(input, init);

const askUrl = ({ page, scopes }: Place, change: Record<string, string | null> = {}): string => {
  const url = new URL(page);
  const params = {
    client_id: "app",
    redirect_uri: REDIRECT,
    response_type: "code",
    scope: scopes.join(","),
    state: "state",
    ...change,
  };
  for (const [name, value] of Object.entries(params)) {
    if (value !== null) url.searchParams.set(name, value);
  }
  return url.href;
};

/** Decides at the page; the address that it leads to. */
async function decide(place: Place, fields: [string, string][]): Promise<URL> {
  const body = new URLSearchParams(fields);
  const answer = await network(askUrl(place), { method: "POST", body, redirect: "manual" });
  expect(answer.status).toBe(302);
  return new URL(answer.headers.get("location") ?? "");
}

const agree = (place: Place, scopes = place.scopes, name = "Ada") =>
  decide(place, [
    ["decision", "allow"],
    ["name", name],
    ...scopes.map((scope): [string, string] => ["scope", scope]),
  ]);

const codeOf = async (place: Place): Promise<string> =>
  (await agree(place)).searchParams.get("code") ?? "";

/** The form of a code, and what the platform answers. */
async function exchange(
  place: Place,
  code: string,
  change: Record<string, string | null> = {},
  team = teamId,
) {
  const fields = {
    client_id: "app",
    client_secret: "secret",
    grant_type: "authorization_code",
    redirect_uri: REDIRECT,
    code,
    ...change,
  };
  const sent = Object.entries(fields).flatMap(([name, value]): [string, string][] =>
    value === null ? [] : [[name, value]],
  );
  const form = new FormData();
  for (const [name, value] of sent) form.set(name, value);
  const body = place.platform === "instagram" ? form : new URLSearchParams(sent);
  const reply = await networkOf(team)(place.tokens, { method: "POST", body });
  return { status: reply.status, text: await reply.text() };
}

describe.each(PLACES)("$platform's consent page", (place) => {
  test("lists what the app asks for", async () => {
    const html = await (await network(askUrl(place))).text();
    for (const scope of place.scopes) expect(html).toContain(`value="${scope}"`);
  });

  test("leads back with a code and the state, or with the refusal", async () => {
    const agreed = await agree(place);
    expect(agreed.origin + agreed.pathname).toBe(REDIRECT);
    expect(Object.fromEntries(agreed.searchParams)).toEqual({
      code: expect.stringMatching(/^[0-9a-f]{64}$/),
      state: "state",
    });
    const refused = await decide(place, [["decision", "refuse"]]);
    expect(Object.fromEntries(refused.searchParams)).toMatchObject({
      error: "access_denied",
      error_reason: "user_denied",
      state: "state",
    });
    expect(refused.hash).toMatch(/^#_/);
  });

  test.each<[string, Record<string, string | null>]>([
    ["no app", { client_id: null }],
    ["no address to go back to", { redirect_uri: null }],
    ["another answer than a code", { response_type: "token" }],
    ["a permission that does not exist", { scope: "all_of_it" }],
    ["no permission", { scope: null }],
  ])("refuses to ask for %s, there and then", async (_, change) => {
    const answer = await network(askUrl(place, change), { redirect: "manual" });
    expect(answer.status).toBe(400);
    expect(answer.headers.get("location")).toBeNull();
  });
});

describe.each(PLACES)("$platform's codes", (place) => {
  test("give a token once, and the reply is JSON", async () => {
    const code = await codeOf(place);
    const first = await exchange(place, code);
    expect(first.status, first.text).toBe(200);
    expect(first.text).toMatch(/"access_token":"[^"]+-short-/);
    const second = await exchange(place, code);
    expect(second.status).toBe(400);
    expect(second.text).toMatch(place.used);
  });

  test("count for their time alone", async () => {
    const [early, late] = [await codeOf(place), await codeOf(place)];
    vi.setSystemTime(START.getTime() + (place.codeSeconds - 1) * 1_000);
    expect((await exchange(place, early)).status).toBe(200);
    vi.setSystemTime(START.getTime() + place.codeSeconds * 1_000);
    expect((await exchange(place, late)).text).toMatch(/expired/);
  });

  test("are of one app, one address and one team", async () => {
    const other = { redirect_uri: `${REDIRECT}/` };
    expect((await exchange(place, await codeOf(place), other)).text).toMatch(/redirect_uri/);
    const app = { client_id: "another" };
    expect((await exchange(place, await codeOf(place), app)).text).toMatch(place.otherApp);
    const foreign = await exchange(place, await codeOf(place), {}, teamId + 5_000);
    expect(foreign.text).toMatch(place.unknown);
    expect((await exchange(place, "guessed")).text).toMatch(place.unknown);
  });

  test("need the app's id and secret", async () => {
    const code = await codeOf(place);
    expect((await exchange(place, code, { client_secret: null })).text).toMatch(place.noSecret);
    expect((await exchange(place, code, { client_id: null })).status).toBe(400);
    expect((await exchange(place, code)).status).toBe(200);
  });
});

test("Instagram and Threads write ids as numbers that no number holds exactly", async () => {
  for (const place of PLACES.slice(1)) {
    const { text } = await exchange(place, await codeOf(place));
    expect(text).toMatch(/"user_id":\d{16,17}[,}]/);
  }
});

test("Instagram names the permissions, and the first cannot be left out", async () => {
  const [, place] = PLACES as [Place, Place, Place];
  const code = (await agree(place, [])).searchParams.get("code") ?? "";
  expect((await exchange(place, code)).text).toContain('"permissions":"instagram_business_basic"');
});

describe("a person of Facebook", () => {
  const [place] = PLACES as [Place];

  async function signIn(name: string, scopes = place.scopes) {
    const code = (await agree(place, scopes, name)).searchParams.get("code") ?? "";
    const token = JSON.parse((await exchange(place, code)).text).access_token;
    const get = async (path: string, bearer = token) => {
      const headers = { authorization: `Bearer ${bearer}` };
      const reply = await network(`https://graph.facebook.com/v26.0/${path}`, { headers });
      // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
      return (await reply.json()) as any;
    };
    return { token, get };
  }

  test("has three Pages, in lists with a way to the next", async () => {
    const { get } = await signIn("Ada");
    const whole = await get("me/accounts");
    expect(whole.data.map(({ name }: { name: string }) => name)).toEqual([
      "Ada",
      "Ada Studio",
      "Ada (read only)",
    ]);
    expect(whole.data[2].tasks).not.toContain("CREATE_CONTENT");
    const first = await get("me/accounts?limit=2&fields=id");
    expect(first.data).toHaveLength(2);
    const after = new URL(first.paging.next).searchParams.get("after");
    expect((await get(`me/accounts?limit=2&fields=id&after=${after}`)).data).toHaveLength(1);
  });

  test("may publish as the first of them, and not as the last", async () => {
    const { get } = await signIn("Ada");
    const { data } = await get("me/accounts");
    for (const [at, status] of [
      [0, 200],
      [2, 400],
    ] as const) {
      const { id, access_token } = data[at];
      const reply = await network(`https://graph.facebook.com/v26.0/${id}/feed`, {
        method: "POST",
        headers: { authorization: `Bearer ${access_token}` },
        body: new URLSearchParams({ message: "Hello" }),
      });
      expect(reply.status, await reply.text()).toBe(status);
    }
  });

  test("has the permissions that were granted, and sees no other Page", async () => {
    const { get, token } = await signIn("Ada", ["pages_manage_posts"]);
    expect((await get("me/accounts")).error.code).toBe(200);
    expect((await get("me/permissions")).data).toEqual([
      { permission: "public_profile", status: "granted" },
      { permission: "pages_manage_posts", status: "granted" },
    ]);
    expect((await get("55566677788?fields=access_token")).error.code).toBe(100);
    const { data } = await get(`debug_token?input_token=${token}`, "app|secret");
    expect(data).toMatchObject({
      is_valid: true,
      scopes: ["pages_manage_posts"],
      granular_scopes: [{ scope: "pages_manage_posts", target_ids: expect.any(Array) }],
    });
    expect((await get("me?fields=id,name")).id).toBe(data.user_id);
  });

  test("of a portfolio has Pages there alone, without their tokens", async () => {
    const { get } = await signIn("Ada of the portfolio", [
      "pages_show_list",
      "business_management",
    ]);
    expect(await get("me/accounts")).toEqual({ data: [] });
    const [{ id }] = (await get("me/businesses")).data;
    const { data } = await get(`${id}/owned_pages`);
    expect(data).toHaveLength(2);
    expect(data[0].access_token).toBeUndefined();
    expect((await get(`${data[0].id}?fields=access_token`)).access_token).toBeTypeOf("string");
    expect((await get(`${id}/client_pages`)).data).toEqual([]);
    expect((await get("7123/owned_pages")).error.code).toBe(100);
  });
});
