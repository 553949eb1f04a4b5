import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { sha256Hex } from "../../../src/core/signature.ts";
import { mediaPath } from "../../../src/features/media/files.ts";
import { createSandboxFetch } from "../../../src/sandbox/fetch.ts";
import { sandboxCredentials } from "../../../src/sandbox/kit/login.ts";
import { createMember, form, Harness } from "../../support/harness.ts";
import { shortMp4, testJpeg, testPng, verticalMp4 } from "../../support/videos.ts";

const GRAPH = "https://graph.facebook.com";
const GRAPH_VIDEO = "https://graph-video.facebook.com";

type Params = Record<string, string | Blob>;
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
type Reply = { status: number; body: any };

/** A Page of its own, and addresses of a JPEG, a PNG and a video that can be pulled. */
async function onStage() {
  const harness = new Harness();
  const member = await createMember();
  const { token, teamId } = member;
  const name = `Raw ${teamId}`;
  const connected = await harness.call("POST", "/accounts", {
    token,
    json: { platform: "facebook", sandbox: true, name },
  });
  const accountId: string = connected.body.data.id;
  const webp = new Uint8Array(64);
  webp.set(new TextEncoder().encode("RIFF0000WEBPVP8 "));
  const photos = [testJpeg, testPng, webp].map((bytes) => new Blob([bytes]));
  const drafts: Parameters<typeof form>[0][] = [
    { photo: photos },
    { video: new Blob([verticalMp4]) },
  ];
  for (const media of drafts) {
    const body = form({ accountId, title: "Only stored", status: "draft", ...media });
    expect(await harness.call("POST", "/upload", { token, body })).toMatchObject({ status: 200 });
  }
  const urlOf = async (bytes: Uint8Array<ArrayBuffer>) =>
    `https://akimbo.test${await mediaPath(harness.deps, teamId, await sha256Hex(bytes))}`;
  const urls = {
    jpeg: await urlOf(testJpeg),
    png: await urlOf(testPng),
    webp: await urlOf(webp),
    mp4: await urlOf(verticalMp4),
  };

  let access = sandboxCredentials("facebook", name).accessToken;
  const fetch = createSandboxFetch(env.SANDBOX_STATE, {
    teamId,
    accountId,
    uploadId: teamId * 10,
  });
  const call = async (
    method: string,
    path: string,
    params: Params = {},
    origin = GRAPH,
  ): Promise<Reply> => {
    const url = new URL(path, origin);
    const isMultipart = Object.values(params).some((value) => value instanceof Blob);
    const texts = Object.entries(params).map(([key, value]): [string, string] => [
      key,
      String(value),
    ]);
    if (method === "GET") for (const [key, value] of texts) url.searchParams.set(key, value);
    // The body of a form needs a Content-Length.
    const encoded = isMultipart ? new Response(form(params)) : null;
    const bytes = encoded && new Uint8Array(await encoded.clone().arrayBuffer());
    const reply = await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${access}`,
        ...(encoded ? { "content-type": encoded.headers.get("content-type") ?? "" } : {}),
      },
      ...(method === "POST" ? { body: bytes ?? new URLSearchParams(texts) } : {}),
    });
    return { status: reply.status, body: await reply.json() };
  };
  const pageId: string = (await call("GET", "/v26.0/me")).body.id;
  const post = (edge: string, params: Params, origin = GRAPH) =>
    call("POST", `/v26.0/${pageId}/${edge}`, params, origin);
  const rupload = async (id: string, headers: Record<string, string>): Promise<Reply> => {
    const url = `https://rupload.facebook.com/video-upload/v26.0/${id}`;
    const reply = await fetch(url, { method: "POST", headers });
    return { status: reply.status, body: await reply.json() };
  };
  return {
    harness,
    pageId,
    call,
    post,
    urls,
    rupload,
    pull: (id: string, url: string | null) =>
      rupload(id, { authorization: `OAuth ${access}`, ...(url === null ? {} : { file_url: url }) }),
    video: (params: Params) => post("videos", params, GRAPH_VIDEO),
    status: async (id: string) =>
      (await call("GET", `/v26.0/${id}`, { fields: "status,permalink_url" })).body,
    list: async () =>
      (
        await call("GET", `/v26.0/${pageId}/published_posts`, {
          fields:
            "id,message,created_time,permalink_url,attachments{media_type,subattachments{media_type}}",
        })
      ).body.data,
    feed: async () => {
      const answer = await harness.request(`/sandbox/api/posts?accountId=${accountId}`);
      // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the feed holds
      return ((await answer.json()) as { posts: any[] }).posts;
    },
    useToken: (value: string) => {
      access = value;
    },
  };
}

type Stage = Awaited<ReturnType<typeof onStage>>;

const refusal = (code: number, subcode?: number, status = 400) => ({
  status,
  body: {
    error: {
      code,
      type: expect.any(String),
      message: expect.any(String),
      ...(subcode ? { error_subcode: subcode } : {}),
    },
  },
});

describe("Pages and tokens", () => {
  test("a Page has an id of digits, its own name, and what a person does not have", async () => {
    const { call, pageId } = await onStage();
    expect(pageId).toMatch(/^\d{15}$/);
    const fields = "category,id,name,username,picture.type(large){url}";
    expect((await call("GET", "/v26.0/me", { fields })).body).toMatchObject({
      id: pageId,
      name: expect.stringMatching(/^Raw \d+$/),
      username: expect.stringMatching(/^raw_\d+$/),
      category: "Media",
    });
    expect(await call("GET", "/me", { fields: "shoe_size" })).toMatchObject(refusal(100));
    expect(await call("GET", "/me", { fields: "id,picture{url" })).toMatchObject(refusal(100));
  });

  test("gives a Page's token to whoever may act as it, and that one is as good", async () => {
    const stage = await onStage();
    const fields = { fields: "access_token,name" };
    const own = await stage.call("GET", `/v26.0/${stage.pageId}`, fields);
    const other = await stage.call("GET", "/v26.0/555666777", fields);
    stage.useToken(own.body.access_token);
    expect((await stage.call("GET", "/v26.0/me")).body.id).toBe(stage.pageId);
    // It is that of one Page alone.
    expect(await stage.call("GET", "/v26.0/555666777", fields)).toMatchObject(refusal(100, 33));
    stage.useToken(other.body.access_token);
    expect((await stage.call("GET", "/v26.0/me")).body.id).toBe("555666777");
    expect(await stage.post("feed", { message: "x" })).toMatchObject(refusal(100, 33));
  });

  test("refuses tokens that it never gave out, and calls without one", async () => {
    const stage = await onStage();
    stage.useToken("EAAforeign");
    expect(await stage.call("GET", "/v26.0/me")).toMatchObject(refusal(190));
    expect(await stage.post("feed", { message: "x" })).toMatchObject(refusal(190));
    stage.useToken("");
    expect(await stage.call("GET", "/v26.0/me")).toMatchObject(refusal(104));
    expect(await stage.rupload("1", {})).toMatchObject({ status: 401, body: { debug_info: {} } });
  });
});

describe("posts", () => {
  test("a text can be read and listed, and is refused right after itself", async () => {
    const stage = await onStage();
    const made = await stage.post("feed", { message: "Hello", link: "https://a.com" });
    expect(made).toMatchObject({ status: 200 });
    expect(made.body.id).toMatch(new RegExp(`^${stage.pageId}_\\d{15}$`));
    const read = await stage.call("GET", `/v26.0/${made.body.id}`, { fields: "permalink_url" });
    expect(read.body.permalink_url).toMatch(/^https:\/\/www\.facebook\.com\/\d+\/posts\/\d+$/);
    expect(await stage.list()).toMatchObject([
      { id: made.body.id, message: "Hello", attachments: { data: [{ media_type: "link" }] } },
    ]);
    expect(await stage.post("feed", { message: "Hello", link: "https://a.com" })).toMatchObject(
      refusal(506),
    );
    const since = String(Date.now() / 1_000 + 60);
    const later = await stage.call("GET", `/v26.0/${stage.pageId}/published_posts`, { since });
    expect(later.body.data).toEqual([]);
  });

  test("posts are listed newest first, a page at a time", async () => {
    const stage = await onStage();
    for (const message of ["One", "Two"]) await stage.post("feed", { message });
    const list = async (params: Params) =>
      (await stage.call("GET", `/v26.0/${stage.pageId}/published_posts`, { limit: "1", ...params }))
        .body;
    const first = await list({});
    expect(first).toMatchObject({
      data: [{ message: "Two" }],
      paging: { cursors: { after: "1" } },
    });
    expect(first.paging.next).toContain("after=1");
    const second = await list({ after: first.paging.cursors.after });
    expect(second).toMatchObject({ data: [{ message: "One" }] });
    expect(second.paging).not.toHaveProperty("next");
  });

  test("photos are staged, attached once, and can be dropped before", async () => {
    const stage = await onStage();
    const staged = async (url: string) =>
      (await stage.post("photos", { url, published: "false" })).body.id;
    const ids = [await staged(stage.urls.jpeg), await staged(stage.urls.png)];
    const dropped = await staged(stage.urls.jpeg);
    expect(await stage.feed()).toEqual([]);
    expect((await stage.call("DELETE", `/v26.0/${dropped}`)).body).toEqual({ success: true });
    const attach = (photoIds: string[]) =>
      stage.post("feed", {
        message: "Two",
        ...Object.fromEntries(
          photoIds.map((id, n) => [`attached_media[${n}]`, JSON.stringify({ media_fbid: id })]),
        ),
      });
    expect(await attach([...ids, dropped])).toMatchObject(refusal(100));
    expect(await attach(ids)).toMatchObject({ status: 200 });
    expect(await attach(ids)).toMatchObject(refusal(100, 1366051));
    expect(await stage.list()).toMatchObject([
      { attachments: { data: [{ media_type: "album", subattachments: { data: [{}, {}] } }] } },
    ]);
    expect(await stage.feed()).toMatchObject([{ received: 1, media: [{}, {}] }]);
  });

  test("what is staged is gone after a day", async () => {
    const stage = await onStage();
    const { body } = await stage.post("photos", { url: stage.urls.jpeg, published: "false" });
    stage.harness.advance(86_401);
    const attached_media = JSON.stringify([{ media_fbid: body.id }]);
    expect(await stage.post("feed", { attached_media })).toMatchObject(refusal(100));
  });

  test("a photo that is published makes a post at each call", async () => {
    const stage = await onStage();
    const send = () => stage.post("photos", { url: stage.urls.png, message: "One" });
    const first = await send();
    expect(first.body).toMatchObject({
      id: expect.stringMatching(/^\d+$/),
      post_id: expect.stringMatching(/^\d+_\d+$/),
    });
    await send();
    expect(await stage.feed()).toHaveLength(2);
  });

  test.each<[string, string, (stage: Stage) => Params, number, number?]>([
    ["an empty post", "feed", () => ({}), 100],
    ["an unknown field", "feed", () => ({ message: "x", colour: "red" }), 100],
    ["a text that is too long", "feed", () => ({ message: "x".repeat(63_207) }), 100],
    ["a broken link", "feed", () => ({ message: "x", link: "a" }), 100, 2061006],
    ["a link to itself", "feed", () => ({ link: "https://www.facebook.com/a" }), 100, 1609008],
    ["a link that is none", "feed", () => ({ link: "https://invalid.example.com" }), 1500],
    [
      "a link to nowhere",
      "feed",
      () => ({ link: "https://unreachable.example.com" }),
      100,
      1609005,
    ],
    [
      "a planned post",
      "feed",
      () => ({ message: "x", published: "false", scheduled_publish_time: "1800000000" }),
      100,
    ],
    ["media that are no list", "feed", () => ({ attached_media: "{" }), 100],
    ["a photo without an address", "photos", () => ({ message: "x" }), 324],
    ["a WebP", "photos", ({ urls }) => ({ url: urls.webp }), 324, 1366046],
    ["a video as a photo", "photos", ({ urls }) => ({ url: urls.mp4 }), 324, 1366046],
    ["a photo that is not there", "photos", ({ urls }) => ({ url: `${urls.png}x` }), 100, 1609005],
    ["an unknown field of a photo", "photos", ({ urls }) => ({ url: urls.png, link: "x" }), 100],
    [
      "a reel's label",
      "video_reels",
      () => ({ upload_phase: "start", is_ai_generated: "true" }),
      100,
    ],
  ])("refuses %s", async (_, edge, params, code, subcode) => {
    const stage = await onStage();
    expect(await stage.post(edge, params(stage))).toMatchObject(refusal(code, subcode));
    expect(await stage.feed()).toEqual([]);
  });
});

const blob = (bytes: Uint8Array<ArrayBuffer>) => new Blob([bytes]);

describe("videos", () => {
  const open = async (stage: Stage, size = shortMp4.length) => {
    const { body } = await stage.video({ upload_phase: "start", file_size: String(size) });
    const session = { upload_session_id: body.upload_session_id as string };
    const transfer = (start_offset: string, bytes = shortMp4) =>
      stage.video({
        upload_phase: "transfer",
        ...session,
        start_offset,
        video_file_chunk: blob(bytes),
      });
    const finish = (more: Params = {}) =>
      stage.video({ upload_phase: "finish", ...session, description: "Words", ...more });
    return { id: body.video_id as string, body, transfer, finish };
  };

  test("goes up, is finished once, is processed, and can be seen", async () => {
    const stage = await onStage();
    const { id, body, transfer, finish } = await open(stage);
    const size = String(shortMp4.length);
    expect(body).toMatchObject({ start_offset: "0", end_offset: size });
    expect(await finish()).toMatchObject(refusal(6000, 1363033));
    expect((await stage.status(id)).status).toMatchObject({ video_status: "uploading" });
    expect((await transfer("0")).body).toEqual({ start_offset: size, end_offset: size });
    expect((await stage.status(id)).status).toMatchObject({
      video_status: "upload_complete",
      publishing_phase: { status: "not_started" },
    });
    expect(await finish()).toMatchObject({ status: 200, body: { success: true } });
    expect((await stage.status(id)).status).toMatchObject({ video_status: "processing" });
    expect(await finish()).toMatchObject(refusal(6000, 1363041));
    stage.harness.advance(5);
    expect(await stage.status(id)).toMatchObject({
      status: { video_status: "ready", publishing_phase: { publish_status: "published" } },
      permalink_url: `/${stage.pageId}/videos/${id}/`,
    });
    expect(await stage.feed()).toMatchObject([
      { received: 1, text: "Words", media: [{ sha256: await sha256Hex(shortMp4) }] },
    ]);
  });

  test("takes only the part that comes next, and says which that is", async () => {
    const stage = await onStage();
    const { transfer } = await open(stage, 20_000_000);
    const part = new Uint8Array(8_388_608);
    expect(await transfer("5", part)).toMatchObject(refusal(6001, 1363037));
    expect(await transfer("0", shortMp4)).toMatchObject(refusal(6001, 1363021));
    expect((await transfer("0", part)).body).toEqual({
      start_offset: "8388608",
      end_offset: "16777216",
    });
    expect((await transfer("0", part)).body.error).toMatchObject({
      error_subcode: 1363037,
      error_data: { start_offset: "8388608", end_offset: "16777216" },
    });
  });

  test("what is no video ends as an error", async () => {
    const stage = await onStage();
    const { id, transfer, finish } = await open(stage, testPng.length);
    await transfer("0", testPng);
    expect(await finish()).toMatchObject({ status: 200 });
    stage.harness.advance(5);
    expect((await stage.status(id)).status).toMatchObject({
      video_status: "error",
      processing_phase: { errors: [{ code: 1363024 }] },
    });
    expect(await stage.feed()).toEqual([]);
  });

  test.each<[string, Params, number, number?]>([
    ["no phase", {}, 100],
    ["another phase", { upload_phase: "begin" }, 100],
    ["no size", { upload_phase: "start" }, 100],
    ["a size of nothing", { upload_phase: "start", file_size: "0" }, 6000, 1363023],
    ["an unknown field", { upload_phase: "start", file_size: "9", title: "x" }, 100],
    [
      "a session that is not there",
      { upload_phase: "finish", upload_session_id: "1" },
      6000,
      1363041,
    ],
  ])("refuses %s", async (_, params, code, subcode) => {
    const stage = await onStage();
    expect(await stage.video(params)).toMatchObject(refusal(code, subcode));
  });

  test("refuses a part without bytes, a title that is too long, a video not to be published", async () => {
    const stage = await onStage();
    const { body, transfer, finish } = await open(stage);
    expect(
      await stage.video({
        upload_phase: "transfer",
        upload_session_id: body.upload_session_id,
        start_offset: "0",
      }),
    ).toMatchObject(refusal(100));
    await transfer("0");
    expect(await finish({ title: "x".repeat(256) })).toMatchObject(refusal(100));
    expect(await finish({ published: "false" })).toMatchObject(refusal(100));
    expect(await finish({ is_ai_generated: "true" })).toMatchObject(refusal(100));
  });
});

describe("reels", () => {
  const open = async (stage: Stage) => {
    const { body } = await stage.post("video_reels", { upload_phase: "start" });
    const finish = (more: Params = {}) =>
      stage.post("video_reels", {
        upload_phase: "finish",
        video_id: body.video_id,
        video_state: "PUBLISHED",
        ...more,
      });
    return { id: body.video_id as string, body, finish };
  };

  test("is pulled, finished once, and has an address of its own", async () => {
    const stage = await onStage();
    const { id, body, finish } = await open(stage);
    expect(body.upload_url).toBe(`https://rupload.facebook.com/video-upload/v26.0/${id}`);
    expect((await stage.pull(id, stage.urls.mp4)).body).toEqual({ success: true });
    expect(await finish()).toMatchObject(refusal(6000, 1363033));
    stage.harness.advance(2);
    expect(await finish({ is_ai_generated: "true" })).toMatchObject({
      status: 400,
      body: { error: { code: 100, message: expect.stringContaining("is_ai_generated") } },
    });
    expect(await finish({ description: "Look" })).toMatchObject({ body: { success: true } });
    expect(await finish({ description: "Look" })).toMatchObject(refusal(6000, 1363041));
    expect((await stage.status(id)).status).toMatchObject({
      video_status: "processing",
      uploading_phase: { status: "complete", bytes_transferred: verticalMp4.length },
      publishing_phase: { status: "not_started", publish_status: "published" },
    });
    stage.harness.advance(5);
    expect(await stage.status(id)).toMatchObject({
      status: { publishing_phase: { status: "complete", publish_status: "published" } },
      permalink_url: `/reel/${id}/`,
    });
    expect(await stage.feed()).toMatchObject([
      { received: 1, media: [{ sha256: await sha256Hex(verticalMp4) }] },
    ]);
  });

  test("a file that is no video is told by the error of a phase alone", async () => {
    const stage = await onStage();
    const { id, finish } = await open(stage);
    await stage.pull(id, stage.urls.png);
    stage.harness.advance(2);
    await finish();
    stage.harness.advance(5);
    expect((await stage.status(id)).status).toMatchObject({
      video_status: "processing",
      processing_phase: { status: "not_started", error: { message: expect.any(String) } },
      publishing_phase: { status: "not_started" },
    });
    expect(await stage.feed()).toEqual([]);
  });

  test("a file that cannot be fetched is told by its status", async () => {
    const stage = await onStage();
    for (const url of [`${stage.urls.mp4}x`, "http://example.com/a.mp4"]) {
      const { id, finish } = await open(stage);
      expect((await stage.pull(id, url)).body).toEqual({ success: true });
      expect((await stage.status(id)).status).toMatchObject({ video_status: "upload_failed" });
      expect(await finish()).toMatchObject(refusal(6000, 1363033));
    }
  });

  test("wants the address as a header, from whoever owns the reel, once", async () => {
    const stage = await onStage();
    const other = await onStage();
    const { id } = await open(stage);
    expect(await other.pull(id, other.urls.mp4)).toMatchObject({ status: 404 });
    expect(await stage.pull(id, null)).toMatchObject({
      status: 400,
      body: { debug_info: { type: "OffsetInvalidError", message: "Missing Offset header" } },
    });
    expect(await stage.pull(id, stage.urls.mp4)).toMatchObject({ status: 200 });
    expect(await stage.pull(id, stage.urls.mp4)).toMatchObject({
      status: 400,
      body: { debug_info: { type: "ProcessingFailedError" } },
    });
  });

  test("refuses drafts, and videos that are no reels", async () => {
    const stage = await onStage();
    const { finish } = await open(stage);
    expect(await finish({ video_state: "DRAFT" })).toMatchObject(refusal(100));
    expect(await finish({ video_id: "1" })).toMatchObject(refusal(100));
  });
});

test("what belongs to another Page is not there", async () => {
  const stage = await onStage();
  const other = await onStage();
  const { body } = await other.post("feed", { message: "Mine" });
  expect(await stage.call("GET", `/v26.0/${body.id}`)).toMatchObject(refusal(100, 33));
  expect(await stage.post(`../${other.pageId}/feed`, { message: "x" })).toMatchObject(
    refusal(100, 33),
  );
  expect(await stage.list()).toEqual([]);
});

test.each([
  ["POST", "/v26.0/me", GRAPH],
  ["DELETE", "/v26.0/1234", GRAPH],
  ["GET", "/v26.0/me/feed", GRAPH],
  ["POST", "/v26.0/me/published_posts", GRAPH],
  ["GET", "/v26.0/me/nothing", GRAPH],
  ["GET", "/v26.0/", GRAPH],
  ["POST", "/v26.0/me/feed", GRAPH_VIDEO],
])("refuses %s %s at %s", async (method, path, origin) => {
  const stage = await onStage();
  expect(await stage.call(method, path, {}, origin)).toMatchObject(refusal(100, 33));
});

describe("figures", () => {
  const FIELDS =
    "id,shares,reactions.limit(0).summary(total_count),comments.limit(0).summary(total_count)";

  test("a list tells figures and insights that grow; a metric that is gone fails all of it", async () => {
    const stage = await onStage();
    await stage.post("feed", { message: "Hello" });
    stage.harness.advance(10 * 86_400);
    const list = (fields: string) =>
      stage.call("GET", `/v26.0/${stage.pageId}/published_posts`, { fields });
    const { body } = await list(`${FIELDS},insights.metric(post_media_view)`);
    const [post] = body.data;
    expect(post.insights.data).toMatchObject([
      { name: "post_media_view", period: "lifetime", values: [{ value: expect.any(Number) }] },
    ]);
    expect(post.insights.data[0].values[0].value).toBeGreaterThan(0);
    expect(post.reactions.summary.total_count).toBeGreaterThan(0);
    expect((await list(FIELDS)).body.data[0]).not.toHaveProperty("insights");
    expect(await list(`${FIELDS},insights.metric(post_impressions)`)).toMatchObject(refusal(100));
    const page = await stage.call("GET", `/v26.0/${stage.pageId}`, { fields: "followers_count" });
    expect(page.body.followers_count).toBeGreaterThanOrEqual(50);
  });
});

test("a comment has up to 8,000 characters", async () => {
  const { call, post } = await onStage();
  const { id } = (await post("feed", { message: "Hello" })).body;
  const comment = (length: number) =>
    call("POST", `/v26.0/${id}/comments`, { message: "a".repeat(length) });
  expect(await comment(8_001)).toMatchObject(refusal(100));
  expect(await comment(8_000)).toMatchObject({ status: 200 });
});
