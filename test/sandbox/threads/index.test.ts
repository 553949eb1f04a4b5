import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { sha256Hex } from "../../../src/core/signature.ts";
import { mediaPath } from "../../../src/features/media/files.ts";
import { createSandboxFetch } from "../../../src/sandbox/fetch.ts";
import { sandboxCredentials } from "../../../src/sandbox/kit/login.ts";
import { createMember, form, Harness } from "../../support/harness.ts";
import { sandboxShortToken } from "../../support/short-token.ts";
import { testJpeg, testPng, verticalMp4 } from "../../support/videos.ts";

type Params = Record<string, string>;
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
type Reply = { status: number; body: any };
type Urls = Record<"jpeg" | "png" | "mp4", string>;

/** An account of its own, and addresses of a JPEG, a PNG and a video that can be pulled. */
async function onStage(host = "graph.threads.net") {
  const harness = new Harness();
  const member = await createMember();
  const { token, teamId } = member;
  const name = `Raw ${teamId}`;
  const connected = await harness.call("POST", "/accounts", {
    token,
    json: { platform: "threads", sandbox: true, name },
  });
  expect(connected).toMatchObject({ status: 200 });
  const accountId: string = connected.body.data.id;
  const files = [testJpeg, testPng, verticalMp4].map((bytes) => new Blob([bytes]));
  const body = form({ accountId, title: "Only stored", status: "draft", photo: files });
  expect(await harness.call("POST", "/upload", { token, body })).toMatchObject({ status: 200 });
  const urlOf = async (bytes: Uint8Array<ArrayBuffer>) =>
    `https://akimbo.test${await mediaPath(harness.deps, teamId, await sha256Hex(bytes))}`;

  const uploadId = teamId * 10;
  const fetch = createSandboxFetch(env.SANDBOX_STATE, { teamId, accountId, uploadId });
  let access = sandboxCredentials("threads", name).accessToken;
  const call = async (method: string, path: string, params: Params = {}): Promise<Reply> => {
    const url = new URL(path, `https://${host}`);
    const isGet = method === "GET";
    if (isGet) for (const [key, value] of Object.entries(params)) url.searchParams.set(key, value);
    const reply = await fetch(url, {
      method,
      headers: access ? { authorization: `Bearer ${access}` } : {},
      ...(isGet ? {} : { body: new URLSearchParams(params) }),
    });
    return { status: reply.status, body: await reply.json() };
  };
  const me = await call("GET", "/v1.0/me", { fields: "id,username,name" });
  const id: string = me.body.id;
  const create = (params: Params) => call("POST", `/v1.0/${id}/threads`, params);
  const urls: Urls = {
    jpeg: await urlOf(testJpeg),
    png: await urlOf(testPng),
    mp4: await urlOf(verticalMp4),
  };
  return {
    harness,
    fetch,
    id,
    me: me.body,
    call,
    create,
    urls,
    status: async (container: string) =>
      (await call("GET", `/v1.0/${container}`, { fields: "status,error_message" })).body,
    publish: (container: string) =>
      call("POST", `/v1.0/${id}/threads_publish`, { creation_id: container }),
    /** A container that has had its time. */
    made: async (params: Params): Promise<string> => {
      const made = await create(params);
      expect(made).toMatchObject({ status: 200 });
      harness.advance(5);
      return made.body.id;
    },
    useToken: (token: string) => {
      access = token;
    },
  };
}

const refusal = (code: number, subcode?: number) => ({
  status: 400,
  body: {
    error: {
      code,
      type: expect.any(String),
      message: expect.any(String),
      ...(subcode ? { error_subcode: subcode } : {}),
    },
  },
});

const TEXT = { media_type: "TEXT", text: "Hello" };

test.each(["graph.threads.net", "graph.threads.com"])(
  "at %s an account has an id of 17 digits and its own name",
  async (host) => {
    const { me, id, call } = await onStage(host);
    expect(me).toEqual({
      id: expect.stringMatching(/^\d{17}$/),
      username: expect.stringMatching(/^raw_\d+$/),
      name: expect.stringMatching(/^Raw \d+$/),
    });
    expect((await call("GET", `/v1.0/${id}`)).body).toEqual({ id });
  },
);

test("refuses tokens that it never gave out, and calls without one", async () => {
  const stage = await onStage();
  stage.useToken("THforeign");
  expect(await stage.call("GET", "/v1.0/me")).toMatchObject({
    status: 401,
    body: { error: { code: 190, type: "OAuthException" } },
  });
  stage.useToken("");
  expect(await stage.call("GET", "/v1.0/me")).toMatchObject({ body: { error: { code: 104 } } });
});

test.each(["/refresh_access_token", "/v1.0/refresh_access_token"])(
  "%s gives another token, for 60 days, of the same account",
  async (path) => {
    const stage = await onStage();
    expect(await stage.call("GET", path, { grant_type: "ig_refresh_token" })).toMatchObject(
      refusal(100),
    );
    const { body } = await stage.call("GET", path, { grant_type: "th_refresh_token" });
    expect(body).toMatchObject({ token_type: "bearer", expires_in: 5_184_000 });
    stage.useToken(body.access_token);
    expect((await stage.call("GET", "/v1.0/me")).body.id).toBe(stage.id);
    stage.harness.advance(5_184_001);
    expect(await stage.call("GET", "/v1.0/me")).toMatchObject({
      status: 401,
      body: { error: { code: 190, error_subcode: 463 } },
    });
  },
);

test("a text is ready at once, and what came of it can be read and listed", async () => {
  const stage = await onStage();
  const made = await stage.create({ ...TEXT, reply_control: "mentioned_only" });
  expect(await stage.status(made.body.id)).toEqual({ id: made.body.id, status: "FINISHED" });
  const published = await stage.publish(made.body.id);
  expect(published).toMatchObject({ status: 200, body: { id: expect.stringMatching(/^\d{17}$/) } });
  expect(await stage.status(made.body.id)).toMatchObject({ status: "PUBLISHED" });
  const fields = "id,media_type,permalink,text,timestamp,shortcode";
  const post = await stage.call("GET", `/v1.0/${published.body.id}`, { fields });
  expect(post.body).toMatchObject({
    text: "Hello",
    media_type: "TEXT_POST",
    permalink: `https://www.threads.com/@${stage.me.username}/post/${post.body.shortcode}`,
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/),
  });
  const list = await stage.call("GET", "/v1.0/me/threads", { fields });
  expect(list.body).toEqual({
    data: [post.body],
    paging: { cursors: { before: "0", after: "1" } },
  });
  expect((await stage.call("GET", "/v1.0/me/threads", { after: "1" })).body).toEqual({ data: [] });
  const limit = await stage.call("GET", `/v1.0/${stage.id}/threads_publishing_limit`);
  expect(limit.body.data).toMatchObject([{ quota_usage: 1, config: { quota_total: 250 } }]);
});

test("the list begins and ends where it is asked to", async () => {
  const stage = await onStage();
  const post = async (text: string) => stage.publish(await stage.made({ ...TEXT, text }));
  await post("First");
  const between = String(Math.floor(Date.now() / 1_000) + 1);
  stage.harness.advance(10);
  await post("Second");
  const texts = async (params: Params) => {
    const list = await stage.call("GET", "/v1.0/me/threads", { fields: "text", ...params });
    return list.body.data.map(({ text }: { text: string }) => text);
  };
  expect(await texts({})).toEqual(["Second", "First"]);
  expect(await texts({ since: between })).toEqual(["Second"]);
  expect(await texts({ until: between })).toEqual(["First"]);
  expect(await texts({ limit: "1" })).toEqual(["Second"]);
});

test("takes fields as a JSON body and the token as a parameter, too", async () => {
  const stage = await onStage();
  const name = stage.me.name as string;
  const { accessToken } = sandboxCredentials("threads", name);
  const url = `https://graph.threads.net/v1.0/me/threads?access_token=${encodeURIComponent(accessToken)}`;
  const reply = await stage.fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(TEXT),
  });
  expect(reply.status).toBe(200);
});

test.each<[string, (urls: Urls) => Params, number]>([
  ["an image", ({ png }) => ({ media_type: "IMAGE", image_url: png, alt_text: "x" }), 2],
  ["a video", ({ mp4 }) => ({ media_type: "VIDEO", video_url: mp4, text: "x" }), 4],
])("%s takes a while, and is not found before", async (_, params, seconds) => {
  const stage = await onStage();
  const { body } = await stage.create(params(stage.urls));
  expect(await stage.status(body.id)).toMatchObject({ status: "IN_PROGRESS" });
  expect(await stage.publish(body.id)).toMatchObject(refusal(24, 4279009));
  stage.harness.advance(seconds);
  expect(await stage.status(body.id)).toMatchObject({ status: "FINISHED" });
  expect(await stage.publish(body.id)).toMatchObject({ status: 200 });
});

test("a container is published once", async () => {
  const stage = await onStage();
  const id = await stage.made(TEXT);
  expect(await stage.publish(id)).toMatchObject({ status: 200 });
  expect(await stage.publish(id)).toMatchObject(refusal(24, 4279009));
  expect((await stage.call("GET", "/v1.0/me/threads")).body.data).toHaveLength(1);
});

test("the same text published by another container is another post", async () => {
  const stage = await onStage();
  for (const id of [await stage.made(TEXT), await stage.made(TEXT)]) await stage.publish(id);
  expect((await stage.call("GET", "/v1.0/me/threads")).body.data).toHaveLength(2);
});

test("a container that waits for a day expires", async () => {
  const stage = await onStage();
  const id = await stage.made(TEXT);
  stage.harness.advance(86_400);
  expect(await stage.status(id)).toMatchObject({ status: "EXPIRED" });
  expect(await stage.publish(id)).toMatchObject(refusal(24, 4279009));
});

test("a published container is not known any more after a day", async () => {
  const stage = await onStage();
  const id = await stage.made(TEXT);
  await stage.publish(id);
  expect(await stage.status(id)).toMatchObject({ status: "PUBLISHED" });
  stage.harness.advance(86_400);
  expect(await stage.call("GET", `/v1.0/${id}`)).toMatchObject(refusal(100, 33));
});

test("a carousel joins its ready items, and only those", async () => {
  const stage = await onStage();
  const item = (params: Params) => stage.create({ is_carousel_item: "true", ...params });
  const first = await item({ media_type: "IMAGE", image_url: stage.urls.jpeg, alt_text: "One" });
  const second = await item({ media_type: "VIDEO", video_url: stage.urls.mp4 });
  const children = `${first.body.id},${second.body.id}`;
  const join = () => stage.create({ media_type: "CAROUSEL", children, text: "Two" });
  stage.harness.advance(2);
  expect(await join()).toMatchObject(refusal(100));
  stage.harness.advance(2);
  const parent = await join();
  expect(parent).toMatchObject({ status: 200 });
  stage.harness.advance(2);
  expect(await stage.publish(first.body.id)).toMatchObject(refusal(100));
  expect(await stage.publish(parent.body.id)).toMatchObject({ status: 200 });
});

test("a finished container that is no item cannot be joined", async () => {
  const stage = await onStage();
  const children = [await stage.made(TEXT), await stage.made(TEXT)].join();
  expect(await stage.create({ media_type: "CAROUSEL", children })).toMatchObject(
    refusal(24, 4279009),
  );
});

test("what belongs to another account is not there", async () => {
  const stage = await onStage();
  const other = await onStage();
  const id = await other.made(TEXT);
  expect(await stage.publish(id)).toMatchObject(refusal(24, 4279009));
  expect(await stage.call("GET", `/v1.0/${id}`)).toMatchObject(refusal(100, 33));
  expect(await stage.call("POST", `/v1.0/${other.id}/threads`, TEXT)).toMatchObject(
    refusal(100, 33),
  );
});

const links = (count: number): string =>
  Array.from({ length: count }, (_, index) => `https://example.com/${index}`).join(" ");

describe("takes", () => {
  test.each<[string, Params]>([
    ["500 characters", { text: "x".repeat(500) }],
    ["125 emoji", { text: "😀".repeat(125) }],
    ["5 links, one of them twice", { text: `${links(5)} https://example.com/0` }],
    ["an attached link that the text has too", { text: links(5), link_attachment: links(1) }],
  ])("%s", async (_, params) => {
    const stage = await onStage();
    expect(await stage.create({ media_type: "TEXT", ...params })).toMatchObject({ status: 200 });
  });
});

describe("refuses", () => {
  test.each<[string, (urls: Urls) => Params, number, number?]>([
    ["no media_type", () => ({ text: "x" }), 100],
    ["an unknown media_type", () => ({ media_type: "REELS", text: "x" }), 100],
    ["an unknown field", () => ({ ...TEXT, colour: "red" }), 100],
    ["publishing in the same call", () => ({ ...TEXT, auto_publish_text: "true" }), 100],
    ["a text post without text", () => ({ media_type: "TEXT", text: " " }), 100],
    ["501 characters", () => ({ media_type: "TEXT", text: "x".repeat(501) }), 100],
    ["126 emoji", () => ({ media_type: "TEXT", text: "😀".repeat(126) }), 100],
    ["6 links", () => ({ media_type: "TEXT", text: links(6) }), 100],
    [
      "a sixth link as attachment",
      () => ({ media_type: "TEXT", text: links(5), link_attachment: "https://a.com" }),
      100,
    ],
    ["the alt text of a text", () => ({ ...TEXT, alt_text: "x" }), 100],
    ["another reply_control", () => ({ ...TEXT, reply_control: "nobody" }), 100],
    [
      "an alt text of 1,001 characters",
      ({ jpeg }) => ({ media_type: "IMAGE", image_url: jpeg, alt_text: "x".repeat(1_001) }),
      100,
    ],
    [
      "a link attached to an image",
      ({ jpeg }) => ({ media_type: "IMAGE", image_url: jpeg, link_attachment: "https://a.com" }),
      100,
    ],
    ["an image without address", () => ({ media_type: "IMAGE", text: "x" }), 100],
    ["an image as VIDEO", ({ jpeg }) => ({ media_type: "VIDEO", image_url: jpeg }), 100],
    [
      "both at once",
      ({ jpeg, mp4 }) => ({ media_type: "VIDEO", image_url: jpeg, video_url: mp4 }),
      100,
    ],
    [
      "reply_control on an item",
      ({ jpeg }) => ({
        media_type: "IMAGE",
        image_url: jpeg,
        is_carousel_item: "true",
        reply_control: "everyone",
      }),
      100,
    ],
    [
      "text on an item",
      ({ jpeg }) => ({
        media_type: "IMAGE",
        image_url: jpeg,
        is_carousel_item: "true",
        text: "x",
      }),
      100,
    ],
    ["a text as an item", () => ({ ...TEXT, is_carousel_item: "true" }), 100],
    [
      "the alt text of a carousel",
      () => ({ media_type: "CAROUSEL", children: "1,2", alt_text: "x" }),
      100,
    ],
    ["a carousel of none", () => ({ media_type: "CAROUSEL", text: "x" }), 100],
    ["a carousel of one", () => ({ media_type: "CAROUSEL", children: "1" }), 100],
    [
      "a carousel of 21",
      () => ({ media_type: "CAROUSEL", children: Array.from({ length: 21 }, (_, n) => n).join() }),
      100,
    ],
    [
      "children that do not exist",
      () => ({ media_type: "CAROUSEL", children: "1,2" }),
      24,
      4279009,
    ],
    [
      "an http address",
      () => ({ media_type: "IMAGE", image_url: "http://akimbo.test/media/1" }),
      9004,
      2207052,
    ],
    [
      "an image outside this machine",
      () => ({ media_type: "IMAGE", image_url: "https://example.com/a.jpg" }),
      9004,
      2207052,
    ],
    [
      "an image address with a wrong signature",
      ({ jpeg }) => ({ media_type: "IMAGE", image_url: `${jpeg}x` }),
      9004,
      2207052,
    ],
  ])("%s", async (_, params, code, subcode) => {
    const stage = await onStage();
    expect(await stage.create(params(stage.urls))).toMatchObject(refusal(code, subcode));
  });

  test("a link too many by its name", async () => {
    const { body } = await (await onStage()).create({ media_type: "TEXT", text: links(6) });
    expect(body.error.message).toBe("THREADS_API__LINK_LIMIT_EXCEEDED");
  });

  test.each<[string, Params]>([
    ["no creation_id", {}],
    ["anything besides it", { creation_id: "1", text: "x" }],
  ])("a publishing with %s", async (_, params) => {
    const stage = await onStage();
    const path = `/v1.0/${stage.id}/threads_publish`;
    expect(await stage.call("POST", path, params)).toMatchObject(refusal(100));
  });

  test.each([
    ["POST", "/v1.0/me"],
    ["POST", "/refresh_access_token"],
    ["DELETE", "/v1.0/1234"],
    ["GET", "/v1.0/me/threads_publish"],
    ["POST", "/v1.0/me/threads_publishing_limit"],
    ["GET", "/v1.0/me/nothing"],
    ["GET", "/v1.0/1234"],
  ])("%s %s", async (method, path) => {
    const stage = await onStage();
    expect(await stage.call(method, path)).toMatchObject(refusal(100, 33));
  });

  test.each(["/me", "/v26.0/me", "/v1.0/", "/v1.0/me/threads/1"])("the path %s", async (path) => {
    const stage = await onStage();
    expect(await stage.call("GET", path)).toMatchObject(refusal(2500));
  });

  test("fields that an object does not have", async () => {
    const stage = await onStage();
    const fields = "shoe_size";
    expect(await stage.call("GET", "/v1.0/me", { fields })).toMatchObject(refusal(100));
    const id = await stage.made(TEXT);
    expect(await stage.call("GET", `/v1.0/${id}`, { fields: "status_code" })).toMatchObject(
      refusal(100),
    );
  });
});

test.each<[string, (urls: Urls) => Params, string]>([
  [
    "a video in place of an image",
    ({ mp4 }) => ({ media_type: "IMAGE", image_url: mp4 }),
    "UNKNOWN",
  ],
  [
    "an image in place of a video",
    ({ jpeg }) => ({ media_type: "VIDEO", video_url: jpeg }),
    "FAILED_PROCESSING_VIDEO",
  ],
  [
    "a video outside this machine",
    () => ({ media_type: "VIDEO", video_url: "https://example.com/a.mp4" }),
    "FAILED_DOWNLOADING_VIDEO",
  ],
])("%s ends the container as ERROR", async (_, params, error_message) => {
  const stage = await onStage();
  const id = await stage.made(params(stage.urls));
  expect(await stage.status(id)).toMatchObject({ status: "ERROR", error_message });
  expect(await stage.publish(id)).toMatchObject(refusal(24, 4279009));
});

test("the 251st post of a day is refused", async () => {
  const stage = await onStage();
  const ids = await Promise.all(
    Array.from({ length: 251 }, async () => (await stage.create(TEXT)).body.id as string),
  );
  for (const id of ids.slice(0, 250)) {
    expect((await stage.publish(id)).status).toBe(200);
  }
  expect(await stage.publish(ids[250] ?? "")).toMatchObject(refusal(4));
  stage.harness.advance(86_400);
  expect(await stage.publish(await stage.made(TEXT))).toMatchObject({ status: 200 });
});

describe("tokens", () => {
  const HOUR = 3_600;
  const renew = { grant_type: "th_refresh_token" };
  const exchange = { grant_type: "th_exchange_token", client_secret: "secret" };

  test("one of an hour ends, unless it is exchanged for one of 60 days", async () => {
    const stage = await onStage();
    const short = sandboxShortToken("threads", stage.me.name, "1");
    stage.useToken(short);
    expect(await stage.call("GET", "/refresh_access_token", renew)).toMatchObject(refusal(100));
    const { client_secret: _, ...bare } = exchange;
    expect(await stage.call("GET", "/access_token", bare)).toMatchObject(refusal(101));
    const { status, body } = await stage.call("GET", "/access_token", exchange);
    expect({ status, body }).toMatchObject({ status: 200, body: { expires_in: 5_184_000 } });
    stage.harness.advance(HOUR + 1);
    expect((await stage.call("GET", "/v1.0/me")).status).toBe(401);
    stage.useToken(body.access_token);
    expect((await stage.call("GET", "/v1.0/me")).status).toBe(200);
    expect(await stage.call("GET", "/access_token", exchange)).toMatchObject(refusal(452));
  });

  test("one of 60 days is renewed from a day on, and not once it has ended", async () => {
    const stage = await onStage();
    const { body } = await stage.call("GET", "/refresh_access_token", renew);
    stage.useToken(body.access_token);
    expect(await stage.call("GET", "/refresh_access_token", renew)).toMatchObject(refusal(100));
    stage.harness.advance(24 * HOUR);
    expect((await stage.call("GET", "/refresh_access_token", renew)).status).toBe(200);
    stage.harness.advance(60 * 24 * HOUR);
    expect((await stage.call("GET", "/refresh_access_token", renew)).status).toBe(401);
  });
});
