import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { createMember, createToken, Harness, type Member } from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";

const harness = new Harness();
let member: Member;
const ids: Record<string, string> = {};

async function connect(owner: Member, platform: string, name: string): Promise<string> {
  const answer = await harness.call("POST", "/accounts", {
    token: owner.token,
    json: { platform, sandbox: true, name },
  });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body.data.id;
}

beforeAll(async () => {
  member = await createMember();
  for (const platform of ["linkedin", "pinterest", "tiktok"]) {
    ids[platform] = await connect(member, platform, "Ada");
  }
});

const get = (path: string, { token } = member) => harness.call("GET", path, { token });

const QUESTIONS = [
  ["linkedin", "/accounts/linkedin/pages"],
  ["pinterest", "/pinterest/boards"],
  ["tiktok", "/tiktok/stats"],
] as const;

test("the pages of a LinkedIn account", async () => {
  const { status, body } = await get(`/accounts/linkedin/pages?accountId=${ids.linkedin}`);
  expect(status).toBe(200);
  expect(body).toEqual({
    success: true,
    data: [
      { id: expect.stringMatching(/^\d+$/), name: "Ada Works" },
      { id: expect.stringMatching(/^\d+$/), name: "Ada Foundation" },
    ],
  });
});

test("the boards of a Pinterest account", async () => {
  const { status, body } = await get(`/pinterest/boards?accountId=${ids.pinterest}`);
  expect(status).toBe(200);
  expect(body.data).toHaveLength(3);
  expect(body.data[0]).toEqual({
    id: expect.stringMatching(/^\d{18}$/),
    name: "Ideas",
    description: "Things to try next",
    privacy: "PUBLIC",
  });
  expect(body.data[2].privacy).toBe("SECRET");
});

test("the audience of a TikTok account", async () => {
  const { status, body } = await get(`/tiktok/stats?accountId=${ids.tiktok}`);
  expect(status).toBe(200);
  expect(Object.keys(body.data).sort()).toEqual([
    "follower_count",
    "following_count",
    "likes_count",
    "video_count",
  ]);
  for (const count of Object.values(body.data)) expect(count).toBeTypeOf("number");
  expect(body.data.follower_count).toBeGreaterThan(0);
});

describe.each(QUESTIONS)("of %s, GET %s", (platform, path) => {
  test("costs one round trip", async () => {
    const { costs } = await measure(harness, () => get(`${path}?accountId=${ids[platform]}`));
    expect(costs.roundTrips).toHaveLength(1);
    expect(costs.rowsWritten).toBe(0);
  });

  test.each(["acc_0", "%00", "' OR 1=1 --"])("knows no account %s: 404", async (id) => {
    const answer = await get(`${path}?accountId=${id.includes("%") ? id : encodeURIComponent(id)}`);
    expect(answer).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
  });

  test("keeps another team's account to itself, in the words of one that is not there", async () => {
    const stranger = await createMember();
    const foreign = await get(`${path}?accountId=${ids[platform]}`, stranger);
    const absent = await get(`${path}?accountId=acc_0`, stranger);
    expect(foreign.status).toBe(404);
    expect(foreign.body).toEqual(absent.body);
  });

  test("wants an account of its own platform: 400", async () => {
    const other = platform === "tiktok" ? "pinterest" : "tiktok";
    const { status, body } = await get(`${path}?accountId=${ids[other]}`);
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      { field: "accountId", message: expect.stringContaining(`not of ${platform}`) },
    ]);
  });

  test.each(["", "%20", "x".repeat(101)])("refuses the accountId %j: 400", async (id) => {
    const { status, body } = await get(`${path}?accountId=${id}`);
    expect(status).toBe(400);
    expect(body.errors[0].field).toBe("accountId");
  });

  test.each(["expired", "revoked"])("refuses an account that is %s: 409", async (state) => {
    const owner = await createMember();
    const id = await connect(owner, platform, "Grace");
    await env.DB.prepare("UPDATE accounts SET status = ? WHERE id = ?").bind(state, id).run();
    expect(await get(`${path}?accountId=${id}`, owner)).toMatchObject({
      status: 409,
      body: { code: "ACCOUNT_INACTIVE", error: expect.stringContaining(state) },
    });
  });

  test("needs accounts:read: 403", async () => {
    const token = await createToken(member.userId, { scopes: ["posts:read"] });
    const answer = await get(`${path}?accountId=${ids[platform]}`, { ...member, token });
    expect(answer).toMatchObject({ status: 403, body: { requiredScope: "accounts:read" } });
  });
});

test.each(["/pinterest/boards", "/tiktok/stats"])("%s wants to know whose: 400", async (path) => {
  const { status, body } = await get(path);
  expect(status).toBe(400);
  expect(body.errors).toEqual([
    { field: "accountId", message: "accountId: is required; send the id of a connected account" },
  ]);
});

describe("without accountId, the LinkedIn pages", () => {
  test("are those of all active accounts, each once", async () => {
    const owner = await createMember();
    await connect(owner, "linkedin", "Ada");
    await connect(owner, "linkedin", "Grace");
    const expired = await connect(owner, "linkedin", "Old");
    await connect(owner, "tiktok", "Ada");
    await env.DB.prepare("UPDATE accounts SET status = 'expired' WHERE id = ?").bind(expired).run();
    const { status, body } = await get("/accounts/linkedin/pages", owner);
    expect(status).toBe(200);
    const names = body.data.map(({ name }: { name: string }) => name).sort();
    expect(names).toEqual(["Ada Foundation", "Ada Works", "Grace Foundation", "Grace Works"]);
  });

  test("are none where no account is", async () => {
    const { status, body } = await get("/accounts/linkedin/pages", await createMember());
    expect([status, body]).toEqual([200, { success: true, data: [] }]);
  });
});

/** A live TikTok account whose replies the test chooses. */
async function withTikTok(credentials: object = {}) {
  const stage = new Harness();
  const owner = await createMember();
  const calls: string[] = [];
  const user = { open_id: `open-${owner.teamId}`, display_name: "Ada" };
  const say = (data: object) =>
    Response.json({ data, error: { code: "ok", message: "", log_id: "l" } });
  const refuse = (status: number, code: string, message = "In TikTok's words.") =>
    Response.json({ data: {}, error: { code, message, log_id: "l" } }, { status });
  let stats = (_token: string): Response => refuse(500, "internal_error");
  let renew = (): Response => Response.json({ error: "invalid_grant", error_description: "Gone." });
  stage.network = async (input) => {
    const request = new Request(input);
    const { pathname, search } = new URL(request.url);
    if (pathname === "/v2/oauth/token/") {
      calls.push("renew");
      return renew();
    }
    if (!search.includes("follower_count")) return say({ user });
    const token = request.headers.get("authorization")?.replace("Bearer ", "") ?? "";
    calls.push(token);
    return stats(token);
  };
  const connected = await stage.call("POST", "/accounts", {
    token: owner.token,
    json: {
      platform: "tiktok",
      credentials: { accessToken: "old", refreshToken: "refresh", ...credentials },
    },
  });
  const { id } = connected.body.data;
  return {
    calls,
    say,
    refuse,
    onStats: (answer: (token: string) => Response) => {
      stats = answer;
    },
    onRenew: (answer: () => Response) => {
      renew = answer;
    },
    ask: () => stage.call("GET", `/tiktok/stats?accountId=${id}`, { token: owner.token }),
    status: async () =>
      (await stage.call("GET", `/accounts/${id}`, { token: owner.token })).body.data.status,
    lease: (until: number) =>
      env.DB.prepare("UPDATE accounts SET refresh_lease_until = ? WHERE id = ?")
        .bind(until, id)
        .run(),
  };
}

const NEW_PAIR = { access_token: "new", refresh_token: "next", expires_in: 7_200 };
const COUNTS = { follower_count: 7, following_count: 5, likes_count: 3, video_count: 1 };

describe("a platform that is asked", () => {
  test("by a token it refuses is asked again with a fresh one", async () => {
    const tiktok = await withTikTok();
    tiktok.onStats((token) =>
      token === "new" ? tiktok.say({ user: COUNTS }) : tiktok.refuse(401, "access_token_invalid"),
    );
    tiktok.onRenew(() => Response.json(NEW_PAIR));
    expect(await tiktok.ask()).toMatchObject({ status: 200, body: { data: COUNTS } });
    expect(tiktok.calls).toEqual(["old", "renew", "new"]);
    expect((await tiktok.ask()).status).toBe(200);
    expect(tiktok.calls.slice(3)).toEqual(["new"]);
  });

  test("refuses the fresh token too: the login is lost (409), and no third time is tried", async () => {
    const tiktok = await withTikTok();
    tiktok.onStats(() => tiktok.refuse(401, "access_token_invalid"));
    tiktok.onRenew(() => Response.json(NEW_PAIR));
    expect(await tiktok.ask()).toMatchObject({ status: 409, body: { code: "ACCOUNT_INACTIVE" } });
    expect(tiktok.calls).toEqual(["old", "renew", "new"]);
  });

  test("does not renew the login: 409 in its own words, and the account is expired", async () => {
    const tiktok = await withTikTok();
    tiktok.onStats(() => tiktok.refuse(401, "access_token_invalid"));
    tiktok.onRenew(() =>
      Response.json({ error: "invalid_grant", error_description: "Ask them again." }),
    );
    expect(await tiktok.ask()).toMatchObject({
      status: 409,
      body: { code: "ACCOUNT_INACTIVE", error: "Ask them again." },
    });
    expect(await tiktok.status()).toBe("expired");
  });

  test("cannot renew the login for the moment: 503, and the account stays", async () => {
    const tiktok = await withTikTok();
    tiktok.onStats(() => tiktok.refuse(401, "access_token_invalid"));
    tiktok.onRenew(() => new Response("", { status: 502 }));
    expect(await tiktok.ask()).toMatchObject({ status: 503, body: { code: "UNAVAILABLE" } });
    expect(await tiktok.status()).toBe("active");
  });

  test("while somebody else renews the login: 503 for two seconds", async () => {
    const tiktok = await withTikTok({ expiresAt: "2026-12-01T09:00:30Z" });
    await tiktok.lease(Date.now() + 30_000);
    const answer = await tiktok.ask();
    expect(answer).toMatchObject({ status: 503, body: { code: "UNAVAILABLE" } });
    expect(answer.headers.get("retry-after")).toBe("2");
    expect(tiktok.calls).toEqual([]);
  });

  test("lacks a scope: 409 in its own words", async () => {
    const tiktok = await withTikTok();
    tiktok.onStats(() => tiktok.refuse(401, "scope_not_authorized", "No user.info.stats."));
    expect(await tiktok.ask()).toMatchObject({
      status: 409,
      body: {
        code: "ACCOUNT_INACTIVE",
        error: expect.stringMatching(/^No user\.info\.stats\. Connect the account again/),
      },
    });
    expect(tiktok.calls).toEqual(["old"]);
  });

  test("has been asked too often: 429 with Retry-After", async () => {
    const tiktok = await withTikTok();
    tiktok.onStats(() => tiktok.refuse(429, "rate_limit_exceeded"));
    const answer = await tiktok.ask();
    expect(answer).toMatchObject({
      status: 429,
      body: { code: "RATE_LIMIT", error: expect.stringContaining("In TikTok's words.") },
    });
    expect(answer.headers.get("retry-after")).toBe("60");
  });

  test.each<[string, () => Response]>([
    ["is down", () => new Response("", { status: 503 })],
    ["answers something else", () => new Response("<html>")],
    ["redirects", () => Response.redirect("https://example.com/", 302)],
    [
      "refuses for a reason nobody knows",
      () =>
        Response.json({ data: {}, error: { code: "new_code", message: "No." } }, { status: 400 }),
    ],
    [
      "cannot be reached",
      () => {
        throw new TypeError("connection lost");
      },
    ],
  ])("%s: 503", async (_, answer) => {
    const tiktok = await withTikTok();
    tiktok.onStats(answer);
    expect(await tiktok.ask()).toMatchObject({ status: 503, body: { code: "UNAVAILABLE" } });
    expect(await tiktok.status()).toBe("active");
  });

  test("leaves out a number: it counts as 0", async () => {
    const tiktok = await withTikTok();
    tiktok.onStats(() => tiktok.say({ user: { follower_count: 7, likes_count: null } }));
    expect((await tiktok.ask()).body.data).toEqual({
      follower_count: 7,
      following_count: 0,
      likes_count: 0,
      video_count: 0,
    });
  });

  test("is asked with nothing, once no key of ours opens the login: 409", async () => {
    const tiktok = await withTikTok();
    await env.DB.exec("UPDATE accounts SET credentials = 'v1.gone.x.y' WHERE platform = 'tiktok'");
    expect(await tiktok.ask()).toMatchObject({ status: 409, body: { code: "ACCOUNT_INACTIVE" } });
    expect(tiktok.calls).toEqual([]);
  });
});
