import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { moveClock } from "../../../src/core/clock.ts";
import { createSandboxFetch } from "../../../src/sandbox/fetch.ts";
import { sandboxCredentials } from "../../../src/sandbox/kit/login.ts";
import { unique } from "../support.ts";

afterEach(() => moveClock(0));

const ACCOUNTS = "https://mybusinessaccountmanagement.googleapis.com/v1";
const LOCATIONS = "https://mybusinessbusinessinformation.googleapis.com/v1";
const V4 = "https://mybusiness.googleapis.com/v4";

function connect(name = "Ada") {
  const teamId = unique();
  const origin = { teamId, accountId: `acc_${teamId}`, uploadId: unique() };
  const network = createSandboxFetch(env.SANDBOX_STATE, { ...origin, platform: "google_business" });
  const { accessToken, refreshToken } = sandboxCredentials("google_business", `${name} ${teamId}`);
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  type Answer = Promise<{ status: number; body: any }>;
  async function call(method: string, url: string, json?: unknown, token = accessToken): Answer {
    const reply = await network(url, {
      method,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(json === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const isJson = reply.headers.get("content-type")?.startsWith("application/json");
    return { status: reply.status, body: isJson ? await reply.json() : await reply.text() };
  }
  const get = (url: string) => call("GET", url);
  return { network, call, get, refreshToken: refreshToken ?? "" };
}

type Connection = ReturnType<typeof connect>;

const listOf = async (
  { get }: Connection,
  account: string,
  query = "readMask=name,title,metadata",
) => (await get(`${LOCATIONS}/${account}/locations?${query}`)).body;

async function open(name?: string) {
  const connection = connect(name);
  const { body } = await connection.get(`${ACCOUNTS}/accounts`);
  const account = body.accounts[0].name;
  const { locations } = await listOf(connection, account);
  const posts = `${V4}/${account}/${locations[0].name}/localPosts`;
  const post = (change: object = {}) =>
    connection.call("POST", posts, { summary: "Look", topicType: "STANDARD", ...change });
  return { ...connection, posts, post };
}

const DAY = { year: 2026, month: 12, day: 24 };
const SCHEDULE = {
  startDate: DAY,
  startTime: { hours: 9 },
  endDate: DAY,
  endTime: { hours: 18, minutes: 0, seconds: 0, nanos: 0 },
};
const EVENT = { topicType: "EVENT", event: { title: "Open", schedule: SCHEDULE } };

describe("accounts and locations", () => {
  it("lists what a person manages, and a group's locations under both accounts", async () => {
    const connection = connect("Ada chain of 3");
    const { body } = await connection.get(`${ACCOUNTS}/accounts`);
    expect(body.accounts).toMatchObject([{ type: "PERSONAL" }, { type: "LOCATION_GROUP" }]);
    const own = await listOf(connection, body.accounts[0].name);
    const group = await listOf(connection, body.accounts[1].name);
    expect(own.locations).toHaveLength(1);
    expect(group.locations[0]).toEqual(own.locations[0]);
    expect(group).toMatchObject({
      totalSize: 3,
      locations: [{}, {}, { metadata: { canOperateLocalPost: false } }],
    });
  });

  it("lists ten locations a page, and wants to know which fields", async () => {
    const connection = connect("Ada chain of 12");
    const { body } = await connection.get(`${ACCOUNTS}/accounts`);
    const group = body.accounts[1].name;
    const first = await listOf(connection, group, "readMask=name");
    expect(first.locations).toHaveLength(10);
    expect(Object.keys(first.locations[0])).toEqual(["name"]);
    const rest = await listOf(connection, group, `readMask=name&pageToken=${first.nextPageToken}`);
    expect(rest.locations).toHaveLength(2);
    expect(rest.nextPageToken).toBeUndefined();
    expect((await listOf(connection, group, "")).error).toMatchObject({
      code: 400,
      details: [{ fieldViolations: [{ field: "read_mask", description: "Field is required" }] }],
    });
    expect((await listOf(connection, group, "readMask=name&pageSize=101")).error.code).toBe(400);
  });

  it("has nothing for a person without a location", async () => {
    const connection = connect("Ada, no location");
    const { body } = await connection.get(`${ACCOUNTS}/accounts`);
    expect(await listOf(connection, body.accounts[0].name)).toEqual({});
    expect((await connection.get(`${LOCATIONS}/accounts/7/locations?readMask=name`)).body).toEqual({
      error: { code: 404, message: "Requested entity was not found.", status: "NOT_FOUND" },
    });
  });
});

describe("refusals before a post is read", () => {
  it("wants a valid token", async () => {
    const { call } = connect();
    for (const token of ["", "ya29.unknown"]) {
      const answer = await call("GET", `${ACCOUNTS}/accounts`, undefined, token);
      expect(answer).toMatchObject({ status: 401, body: { error: { status: "UNAUTHENTICATED" } } });
    }
  });

  it("says a quota of 0 as Google does before the approval", async () => {
    const { get } = connect("Ada, no quota");
    expect(await get(`${ACCOUNTS}/accounts`)).toMatchObject({
      status: 429,
      body: {
        error: {
          status: "RESOURCE_EXHAUSTED",
          details: [{ reason: "RATE_LIMIT_EXCEEDED", metadata: { quota_limit_value: "0" } }],
        },
      },
    });
  });

  it("lets a project connect whose API of posts is off, and refuses the posts", async () => {
    const { post } = await open("Ada, API off");
    expect(await post()).toMatchObject({
      status: 403,
      body: {
        error: {
          status: "PERMISSION_DENIED",
          details: [
            { reason: "SERVICE_DISABLED", metadata: { service: "mybusiness.googleapis.com" } },
          ],
        },
      },
    });
  });

  it("answers a location without its account with a page, and a foreign one in JSON", async () => {
    const { get } = connect();
    const page = await get(`${V4}/locations/2/localPosts`);
    expect([page.status, page.body]).toEqual([404, expect.stringContaining("<!DOCTYPE html>")]);
    const foreign = await get(`${V4}/accounts/1/locations/2/localPosts`);
    expect(foreign).toMatchObject({ status: 404, body: { error: { status: "NOT_FOUND" } } });
  });

  it("refuses posts of a location that may not have them", async () => {
    const { post } = await open("Ada, no posts");
    expect(await post()).toMatchObject({
      status: 400,
      body: { error: { details: [{ errorDetails: [{ code: 1_302 }] }] } },
    });
  });
});

const CTA = (actionType: string, url?: string) => ({ callToAction: { actionType, url } });

describe("a post", () => {
  it.each<[string, object, string]>([
    ["no topic", { topicType: undefined }, "topic_type"],
    ["1,501 characters", { summary: "x".repeat(1_501) }, "summary"],
    ["an event without event", { topicType: "EVENT" }, "event.title"],
    ["an offer without event", { topicType: "OFFER", offer: {} }, "event.title"],
    [
      "a title of 59",
      { ...EVENT, event: { title: "x".repeat(59), schedule: SCHEDULE } },
      "event.title",
    ],
    [
      "no end time",
      { ...EVENT, event: { title: "A", schedule: { ...SCHEDULE, endTime: undefined } } },
      "event.schedule",
    ],
    [
      "an inverted range",
      { ...EVENT, event: { title: "A", schedule: { ...SCHEDULE, endTime: { hours: 8 } } } },
      "event.schedule",
    ],
    ["an event of a plain post", { event: EVENT.event }, "event"],
    ["an offer of a plain post", { offer: { couponCode: "A" } }, "offer"],
    ["a call with an address", CTA("CALL", "https://example.com"), "call_to_action.url"],
    ["a button without address", CTA("BOOK"), "call_to_action.url"],
    ["an offer's button", { ...EVENT, topicType: "OFFER", ...CTA("CALL") }, "call_to_action"],
    ["a photo without address", { media: [{ mediaFormat: "PHOTO" }] }, "media.source_url"],
  ])("is refused with %s", async (_, change, field) => {
    const { post } = await open();
    expect(await post(change)).toMatchObject({
      status: 400,
      body: {
        error: {
          message: "Request contains an invalid argument.",
          status: "INVALID_ARGUMENT",
          details: [{ errorDetails: [{ code: 2, field }] }],
        },
      },
    });
  });

  it("takes no field and no value that it does not know", async () => {
    const { post } = await open();
    expect((await post({ text: "A" })).body.error.message).toContain('Unknown name "text"');
    expect((await post({ topicType: "PRODUCT" })).body.error.message).toContain(
      "Invalid value at 'local_post.topic_type'",
    );
  });

  it("has no words for a video, and cannot download from elsewhere", async () => {
    const { post } = await open();
    const media = (mediaFormat: string) => ({
      media: [{ mediaFormat, sourceUrl: "https://example.com/a.jpg" }],
    });
    expect(await post(media("VIDEO"))).toMatchObject({
      status: 500,
      body: { error: { status: "INTERNAL" } },
    });
    expect(await post(media("PHOTO"))).toMatchObject({
      body: {
        error: {
          details: [{ errorDetails: [{ code: 1_000, message: "Fetching image failed." }] }],
        },
      },
    });
  });

  it("is reviewed, then live, and has its address only then", async () => {
    const { post, posts, get } = await open();
    const { status, body } = await post(EVENT);
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...EVENT, state: "PROCESSING" });
    expect(body.searchUrl).toBeUndefined();
    moveClock(4_000);
    const seen = (await get(`${V4}/${body.name}`)).body;
    expect(seen).toMatchObject({
      name: body.name,
      state: "LIVE",
      searchUrl: expect.stringMatching(/^https:\/\/local\.google\.com\/place\?/),
    });
    expect((await get(posts)).body).toEqual({ localPosts: [seen] });
  });

  it.each([
    ["[sandbox:content_flagged]", "REJECTED"],
    ["[sandbox:rejected_later]", "PROCESSING"],
    ["Call 030 / 1234 5678", "PROCESSING"],
  ])("is rejected for %s, after an answer that says %s", async (summary, state) => {
    const { post, get } = await open();
    const { status, body } = await post({ summary });
    expect([status, body.state]).toEqual([200, state]);
    moveClock(4_000);
    expect((await get(`${V4}/${body.name}`)).body.state).toBe("REJECTED");
  });

  it("is made twice by two calls, and listed in pages", async () => {
    const { post, posts, get } = await open();
    await post();
    await post();
    const { body } = await get(`${posts}?pageSize=1`);
    expect(body.localPosts).toHaveLength(1);
    const rest = (await get(`${posts}?pageSize=1&pageToken=${body.nextPageToken}`)).body;
    expect(rest.localPosts[0].name).not.toBe(body.localPosts[0].name);
    expect(rest.nextPageToken).toBeUndefined();
    expect((await get(`${posts}?pageSize=101`)).status).toBe(400);
  });

  it("is changed by a mask, and only in what the mask names", async () => {
    const { post, call } = await open();
    const { name } = (await post()).body;
    const change = (mask: string, json: object) => call("PATCH", `${V4}/${name}${mask}`, json);
    expect((await change("", { summary: "New" })).status).toBe(400);
    expect((await change("?updateMask=media", { media: [] })).status).toBe(400);
    expect(await change("?updateMask=summary", { summary: "New" })).toMatchObject({
      status: 200,
      body: { name, summary: "New", topicType: "STANDARD" },
    });
    const long = await change("?updateMask=summary", { summary: "x".repeat(1_501) });
    expect(long.status).toBe(400);
  });

  it("is deleted once", async () => {
    const { post, call } = await open();
    const { name } = (await post()).body;
    expect(await call("DELETE", `${V4}/${name}`)).toEqual({ status: 200, body: {} });
    expect((await call("DELETE", `${V4}/${name}`)).status).toBe(404);
  });
});

describe("logins", () => {
  const form = (network: Connection["network"], path: string, fields: Record<string, string>) =>
    network(`https://oauth2.googleapis.com${path}`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(fields).toString(),
    });

  it("are renewed and revoked at the host that YouTube has too", async () => {
    const { network, refreshToken, call } = connect();
    const grant = { grant_type: "refresh_token", refresh_token: refreshToken };
    const keys = { client_id: "a", client_secret: "b" };
    const renewed = await form(network, "/token", { ...grant, ...keys });
    const tokens = await renewed.json<{ access_token: string; scope: string }>();
    expect(tokens.scope).toBe("https://www.googleapis.com/auth/business.manage");
    const read = () => call("GET", `${ACCOUNTS}/accounts`, undefined, tokens.access_token);
    expect((await read()).status).toBe(200);
    expect((await form(network, "/revoke", { token: refreshToken })).status).toBe(200);
    expect((await read()).status).toBe(401);
    const again = await form(network, "/token", { ...grant, ...keys });
    expect(await again.json()).toEqual({
      error: "invalid_grant",
      error_description: "Token has been expired or revoked.",
    });
  });
});
