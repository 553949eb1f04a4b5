import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { sha256Hex } from "../../../src/core/signature.ts";
import { mediaPath } from "../../../src/features/media/files.ts";
import { createSandboxFetch } from "../../../src/sandbox/fetch.ts";
import { sandboxCredentials } from "../../../src/sandbox/kit/login.ts";
import { createMember, form, Harness } from "../../support/harness.ts";
import { testJpeg, testPng, verticalMp4 } from "../../support/videos.ts";

const GRAPH = "https://graph.instagram.com";

type Params = Record<string, string>;
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
type Reply = { status: number; body: any };

/** An account of its own, and addresses of a JPEG, a PNG and a video that can be pulled. */
async function onStage() {
  const harness = new Harness();
  const member = await createMember();
  const { token, teamId } = member;
  const name = `Raw ${teamId}`;
  const connected = await harness.call("POST", "/accounts", {
    token,
    json: { platform: "instagram", sandbox: true, name },
  });
  const accountId: string = connected.body.data.id;
  const files = [testJpeg, testPng, verticalMp4].map((bytes) => new Blob([bytes]));
  const body = form({ accountId, title: "Only stored", status: "draft", photo: files });
  expect(await harness.call("POST", "/upload", { token, body })).toMatchObject({ status: 200 });
  const urlOf = async (bytes: Uint8Array<ArrayBuffer>, variant?: "jpeg") =>
    `https://akimbo.test${await mediaPath(harness.deps, teamId, await sha256Hex(bytes), variant)}`;

  const uploadId = teamId * 10;
  const fetch = createSandboxFetch(env.SANDBOX_STATE, { teamId, accountId, uploadId });
  let access = sandboxCredentials("instagram", name).accessToken;
  const call = async (method: string, path: string, params: Params = {}): Promise<Reply> => {
    const url = new URL(path, GRAPH);
    const isGet = method === "GET";
    if (isGet) for (const [key, value] of Object.entries(params)) url.searchParams.set(key, value);
    const reply = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${access}` },
      ...(isGet ? {} : { body: new URLSearchParams(params) }),
    });
    return { status: reply.status, body: await reply.json() };
  };
  const me = await call("GET", "/v26.0/me", { fields: "user_id,username,name" });
  const ig: string = me.body.user_id;
  const create = (params: Params) => call("POST", `/v26.0/${ig}/media`, params);
  const urls = {
    jpeg: await urlOf(testJpeg),
    png: await urlOf(testPng),
    mp4: await urlOf(verticalMp4),
  };
  return {
    harness,
    ig,
    me: me.body,
    call,
    create,
    urls,
    urlOf,
    status: async (id: string) =>
      (await call("GET", `/v26.0/${id}`, { fields: "status_code,status" })).body,
    publish: (id: string) => call("POST", `/v26.0/${ig}/media_publish`, { creation_id: id }),
    /** A container that is ready to be published. */
    ready: async (params: Params): Promise<string> => {
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

test("an account has an id of 17 digits, its own name, and the same id the next time", async () => {
  const { me, call } = await onStage();
  expect(me).toMatchObject({
    user_id: expect.stringMatching(/^17841\d{12}$/),
    username: expect.stringMatching(/^raw_\d+$/),
  });
  expect(me.id).not.toBe(me.user_id);
  expect((await call("GET", "/me", { fields: "user_id" })).body.user_id).toBe(me.user_id);
});

test("refuses tokens that it never gave out, and calls without one", async () => {
  const stage = await onStage();
  stage.useToken("IGforeign");
  expect(await stage.call("GET", "/v26.0/me")).toMatchObject({
    status: 401,
    body: { error: { code: 190, type: "OAuthException" } },
  });
  stage.useToken("");
  expect(await stage.call("GET", "/v26.0/me")).toMatchObject({
    status: 400,
    body: { error: { code: 104 } },
  });
});

test("a refreshed token is another one, for 60 days, of the same account", async () => {
  const stage = await onStage();
  const { body } = await stage.call("GET", "/refresh_access_token", {
    grant_type: "ig_refresh_token",
  });
  expect(body).toMatchObject({ token_type: "bearer", expires_in: 5_183_944 });
  stage.useToken(body.access_token);
  const me = await stage.call("GET", "/v26.0/me", { fields: "user_id" });
  expect(me.body.user_id).toBe(stage.ig);
  stage.harness.advance(5_183_945);
  expect(await stage.call("GET", "/v26.0/me")).toMatchObject({
    body: { error: { code: 190, error_subcode: 463 } },
  });
});

test("an image takes a second, and what came of it can be read and listed", async () => {
  const stage = await onStage();
  const made = await stage.create({ image_url: stage.urls.jpeg, caption: "Hello" });
  expect(await stage.status(made.body.id)).toMatchObject({ status_code: "IN_PROGRESS" });
  expect(await stage.publish(made.body.id)).toMatchObject(refusal(9007, 2207027));
  stage.harness.advance(2);
  expect(await stage.status(made.body.id)).toMatchObject({ status_code: "FINISHED" });
  const published = await stage.publish(made.body.id);
  expect(published).toMatchObject({ status: 200, body: { id: expect.stringMatching(/^\d{17}$/) } });
  expect(await stage.status(made.body.id)).toMatchObject({ status_code: "PUBLISHED" });
  const fields = "id,caption,permalink,timestamp,media_type,media_product_type";
  const media = await stage.call("GET", `/v26.0/${published.body.id}`, { fields });
  expect(media.body).toMatchObject({
    caption: "Hello",
    media_type: "IMAGE",
    media_product_type: "FEED",
    permalink: expect.stringMatching(/^https:\/\/www\.instagram\.com\/p\/[\w-]+\/$/),
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/),
  });
  const list = await stage.call("GET", `/v26.0/${stage.ig}/media`, { fields });
  expect(list.body.data).toEqual([media.body]);
  const limit = await stage.call("GET", `/v26.0/${stage.ig}/content_publishing_limit`);
  expect(limit.body.data).toMatchObject([{ quota_usage: 1, config: { quota_total: 50 } }]);
});

test("a container is published once", async () => {
  const stage = await onStage();
  const id = await stage.ready({ image_url: stage.urls.jpeg });
  expect(await stage.publish(id)).toMatchObject({ status: 200 });
  expect(await stage.publish(id)).toMatchObject(refusal(100));
});

test("a container that waits for a day expires", async () => {
  const stage = await onStage();
  const jpeg = stage.urls.jpeg;
  const id = await stage.ready({ image_url: jpeg });
  stage.harness.advance(86_400);
  expect(await stage.status(id)).toMatchObject({ status_code: "EXPIRED" });
  expect(await stage.publish(id)).toMatchObject(refusal(-2, 2207020));
});

test("a story stands among the stories for a day, and not among the posts", async () => {
  const stage = await onStage();
  const id = await stage.ready({ media_type: "STORIES", image_url: stage.urls.jpeg });
  expect(await stage.publish(id)).toMatchObject({ status: 200 });
  const stories = () => stage.call("GET", `/v26.0/${stage.ig}/stories`);
  expect((await stories()).body.data).toHaveLength(1);
  expect((await stage.call("GET", `/v26.0/${stage.ig}/media`)).body.data).toEqual([]);
  stage.harness.advance(86_401);
  expect((await stories()).body.data).toEqual([]);
});

test("a carousel joins its ready items, and only those", async () => {
  const stage = await onStage();
  const item = (media: Params) => stage.create({ is_carousel_item: "true", ...media });
  const first = await item({ image_url: stage.urls.jpeg });
  const second = await item({ media_type: "VIDEO", video_url: stage.urls.mp4 });
  const children = `${first.body.id},${second.body.id}`;
  const join = () => stage.create({ media_type: "CAROUSEL", children, caption: "Two" });
  stage.harness.advance(2);
  expect(await join()).toMatchObject(refusal(9007, 2207027));
  stage.harness.advance(2);
  const parent = await join();
  expect(parent).toMatchObject({ status: 200 });
  stage.harness.advance(2);
  expect(await stage.publish(first.body.id)).toMatchObject(refusal(100));
  expect(await stage.publish(parent.body.id)).toMatchObject({ status: 200 });
});

test("what belongs to another account is not there", async () => {
  const stage = await onStage();
  const other = await onStage();
  const id = await other.ready({ image_url: other.urls.jpeg });
  expect(await stage.publish(id)).toMatchObject(refusal(24, 2207006));
  expect(await stage.call("GET", `/v26.0/${id}`)).toMatchObject(refusal(100, 33));
  expect(await stage.call("POST", `/v26.0/${other.ig}/media`, {})).toMatchObject(refusal(100, 33));
});

test.each<[string, (urls: Record<"jpeg" | "png" | "mp4", string>) => Params, number, number?]>([
  ["an unknown media_type", ({ mp4 }) => ({ media_type: "CLIP", video_url: mp4 }), 100, 2207023],
  ["a top-level VIDEO", ({ mp4 }) => ({ media_type: "VIDEO", video_url: mp4 }), 100],
  ["an unknown field", ({ jpeg }) => ({ image_url: jpeg, colour: "red" }), 100],
  [
    "a caption on a story",
    ({ jpeg }) => ({ media_type: "STORIES", image_url: jpeg, caption: "x" }),
    100,
  ],
  [
    "collaborators on a story",
    ({ jpeg }) => ({ media_type: "STORIES", image_url: jpeg, collaborators: '["a"]' }),
    100,
  ],
  [
    "the AI label on a child",
    ({ jpeg }) => ({ is_carousel_item: "true", image_url: jpeg, is_ai_generated: "true" }),
    100,
  ],
  ["4 collaborators", ({ jpeg }) => ({ image_url: jpeg, collaborators: '["a","b","c","d"]' }), 100],
  [
    "collaborators that are no JSON",
    ({ jpeg }) => ({ image_url: jpeg, collaborators: "a,b" }),
    100,
  ],
  [
    "tags of an image without a place",
    ({ jpeg }) => ({ image_url: jpeg, user_tags: '[{"username":"a"}]' }),
    100,
    2207035,
  ],
  [
    "tags of a reel with a place",
    ({ mp4 }) => ({
      media_type: "REELS",
      video_url: mp4,
      user_tags: '[{"username":"a","x":0,"y":0}]',
    }),
    100,
    2207036,
  ],
  [
    "trial params on an image",
    ({ jpeg }) => ({ image_url: jpeg, trial_params: '{"graduation_strategy":"MANUAL"}' }),
    100,
  ],
  [
    "another trial strategy",
    ({ mp4 }) => ({
      media_type: "REELS",
      video_url: mp4,
      trial_params: '{"graduation_strategy":"AUTO"}',
    }),
    100,
  ],
  ["a carousel of one", () => ({ media_type: "CAROUSEL", children: "1" }), 100, 2207028],
  [
    "a carousel of 11",
    () => ({ media_type: "CAROUSEL", children: "1,2,3,4,5,6,7,8,9,10,11" }),
    100,
    2207028,
  ],
  ["children that do not exist", () => ({ media_type: "CAROUSEL", children: "1,2" }), 24, 2207006],
  [
    "a long caption",
    ({ jpeg }) => ({ image_url: jpeg, caption: "x".repeat(2_201) }),
    36004,
    2207010,
  ],
  ["31 hashtags", ({ jpeg }) => ({ image_url: jpeg, caption: "#a ".repeat(31) }), 36004, 2207010],
  ["a place that is no number", ({ jpeg }) => ({ image_url: jpeg, location_id: "Berlin" }), 100],
  ["an http address", () => ({ image_url: "http://akimbo.test/media/1" }), 9004, 2207052],
  ["nothing to pull", () => ({ caption: "x" }), 100],
  ["an image as a reel", ({ jpeg }) => ({ media_type: "REELS", image_url: jpeg }), 100],
])("refuses %s", async (_, params, code, subcode) => {
  const stage = await onStage();
  expect(await stage.create(params(stage.urls))).toMatchObject(refusal(code, subcode));
});

test.each<[string, (urls: Record<"jpeg" | "png" | "mp4", string>) => Params, string]>([
  ["a PNG", ({ png }) => ({ image_url: png }), "2207005"],
  ["a video in place of an image", ({ mp4 }) => ({ image_url: mp4 }), "2207005"],
  [
    "an image in place of a video",
    ({ jpeg }) => ({ media_type: "REELS", video_url: jpeg }),
    "2207026",
  ],
  ["a host outside this machine", () => ({ image_url: "https://example.com/a.jpg" }), "2207052"],
  ["an address with a wrong signature", ({ jpeg }) => ({ image_url: `${jpeg}x` }), "2207052"],
])("%s ends the container as ERROR", async (_, params, subcode) => {
  const stage = await onStage();
  const id = await stage.ready(params(stage.urls));
  expect(await stage.status(id)).toMatchObject({
    status_code: "ERROR",
    status: expect.stringContaining(subcode),
  });
  expect(await stage.publish(id)).toMatchObject(refusal(9007, 2207027));
});

test("a PNG is taken in the form of a JPEG", async () => {
  const stage = await onStage();
  const id = await stage.ready({ image_url: await stage.urlOf(testPng, "jpeg") });
  expect(await stage.status(id)).toMatchObject({ status_code: "FINISHED" });
});

test.each([
  ["POST", "/v26.0/me"],
  ["POST", "/refresh_access_token"],
  ["DELETE", "/v26.0/1234"],
  ["GET", "/v26.0/me/media_publish"],
  ["POST", "/v26.0/me/stories"],
  ["GET", "/v26.0/me/nothing"],
  ["GET", "/v26.0/"],
])("refuses %s %s", async (method, path) => {
  const stage = await onStage();
  expect(await stage.call(method, path)).toMatchObject({
    status: 400,
    body: { error: { code: 100, type: "GraphMethodException", error_subcode: 33 } },
  });
});

test("refuses fields that an object does not have", async () => {
  const stage = await onStage();
  expect(await stage.call("GET", "/v26.0/me", { fields: "shoe_size" })).toMatchObject(refusal(100));
});

test("insights of several posts are one call, which fails as a whole", async () => {
  const stage = await onStage();
  const ids: string[] = [];
  for (const caption of ["One", "Two"]) {
    const container = await stage.ready({ image_url: stage.urls.jpeg, caption });
    ids.push((await stage.publish(container)).body.id);
  }
  stage.harness.advance(86_400);
  const read = (asked: string[], metric = "views,shares") =>
    stage.call("GET", "/v26.0/insights", { ids: asked.join(","), metric });
  const { body } = await read(ids);
  expect(Object.keys(body).sort()).toEqual([...ids].sort());
  for (const id of ids) {
    expect(body[id].data).toMatchObject([{ name: "views" }, { name: "shares" }]);
  }
  expect(await read([...ids, "1"])).toMatchObject(refusal(100, 33));
  expect(await read(ids, "plays")).toMatchObject(refusal(100));
  expect(await read([])).toMatchObject(refusal(100));
  expect(await read(Array(51).fill("1"))).toMatchObject(refusal(100));
});

test("a comment has up to 2,200 characters", async () => {
  const stage = await onStage();
  const container = await stage.ready({ image_url: stage.urls.jpeg });
  const { id } = (await stage.publish(container)).body;
  const comment = (length: number) =>
    stage.call("POST", `/v26.0/${id}/comments`, { message: "a".repeat(length) });
  expect(await comment(2_201)).toMatchObject(refusal(100));
  expect(await comment(2_200)).toMatchObject({ status: 200 });
});
