import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createSandboxFetch } from "../../../src/sandbox/fetch.ts";
import { sandboxCredentials } from "../../../src/sandbox/kit/login.ts";
import { createMember, Harness } from "../../support/harness.ts";
import { lasting, testJpeg, testPng, verticalMp4 } from "../../support/videos.ts";

const API = "https://api.x.com";

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
type Reply = { status: number; body: any; headers: Headers };

/** An account of its own, called without our connector. */
async function onStage(name = "Raw") {
  const harness = new Harness();
  const { teamId } = await createMember();
  const credentials = sandboxCredentials("x", `${name} ${teamId}`);
  const fetch = createSandboxFetch(env.SANDBOX_STATE, {
    teamId,
    accountId: `acc_${teamId}`,
    uploadId: null,
  });
  let access = credentials.accessToken;
  const send = async (method: string, path: string, init: RequestInit = {}): Promise<Reply> => {
    const headers = new Headers(init.headers);
    if (!headers.has("authorization")) headers.set("authorization", `Bearer ${access}`);
    const reply = await fetch(new URL(path, API), { ...init, method, headers });
    const text = await reply.text();
    return { status: reply.status, body: text ? JSON.parse(text) : null, headers: reply.headers };
  };
  const post = (path: string, body: unknown) =>
    send("POST", path, {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const multipart = (path: string, fields: Record<string, string | Uint8Array<ArrayBuffer>>) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === "string") body.append(name, value);
      else body.append(name, new Blob([value]), "file");
    }
    return send("POST", path, { body });
  };
  const me = await send("GET", "/2/users/me");
  const userId: string = me.body.data.id;
  return {
    harness,
    me: me.body.data,
    userId,
    send,
    post,
    multipart,
    get: (path: string) => send("GET", path),
    tweet: (body: object) => post("/2/tweets", body),
    list: (query = "") => send("GET", `/2/users/${userId}/tweets${query}`),
    image: async (bytes = testJpeg): Promise<string> =>
      (await multipart("/2/media/upload", { media: bytes, media_category: "tweet_image" })).body
        .data.id,
    oauth: (path: string, fields: Record<string, string>, authorization = `Basic ${btoa(":")}`) =>
      send("POST", `/2/oauth2/${path}`, {
        headers: { authorization },
        body: new URLSearchParams(fields),
      }),
    refreshToken: credentials.refreshToken ?? "",
    useToken: (token: string) => {
      access = token;
    },
  };
}

type Stage = Awaited<ReturnType<typeof onStage>>;

const INITIALIZE = "/2/media/upload/initialize";
const VIDEO = { media_type: "video/mp4", media_category: "tweet_video" };

/** A video that went up in two segments and is not looked through yet. */
async function upload(
  stage: Stage,
  bytes: Uint8Array<ArrayBuffer> = verticalMp4,
  kind: object = VIDEO,
): Promise<string> {
  const opened = await stage.post(INITIALIZE, { ...kind, total_bytes: bytes.byteLength });
  expect(opened).toMatchObject({ status: 200 });
  const { id } = opened.body.data;
  const half = Math.ceil(bytes.byteLength / 2);
  for (const [index, media] of [bytes.slice(0, half), bytes.slice(half)].entries()) {
    const sent = await stage.multipart(`/2/media/upload/${id}/append`, {
      media,
      segment_index: String(index),
    });
    expect(sent).toMatchObject({ status: 200, body: { data: { expires_at: expect.any(Number) } } });
  }
  return id;
}

const finalize = (stage: Stage, id: string) => stage.send("POST", `/2/media/upload/${id}/finalize`);
const statusOf = async (stage: Stage, id: string) =>
  (await stage.get(`/2/media/upload?command=STATUS&media_id=${id}`)).body.data;

const refusal = (status: number, type: string | null = null) => ({
  status,
  body: {
    title: expect.any(String),
    detail: expect.any(String),
    type: type ? `https://api.x.com/2/problems/${type}` : "about:blank",
  },
});
const INVALID = refusal(400, "invalid-request");
const MISSING = refusal(404, "resource-not-found");

describe("logins", () => {
  test("an account has an id of 19 digits and its own name; fields are given as asked for", async () => {
    const stage = await onStage();
    expect(stage.me).toEqual({
      id: expect.stringMatching(/^1\d{18}$/),
      name: expect.stringMatching(/^Raw \d+$/),
      username: expect.stringMatching(/^raw_\d+$/),
    });
    const more = await stage.get("/2/users/me?user.fields=subscription_type,profile_image_url");
    expect(more.body.data).toMatchObject({ id: stage.userId, subscription_type: "Premium" });
    expect(await stage.get("/2/users/me?user.fields=age")).toMatchObject(INVALID);
    expect(await stage.get("/2/users/me?fields=id")).toMatchObject(INVALID);
  });

  test("tokens that X never gave out are refused", async () => {
    const stage = await onStage();
    stage.useToken("foreign");
    expect(await stage.get("/2/users/me")).toMatchObject(refusal(401));
    expect(await stage.tweet({ text: "Hello" })).toMatchObject(refusal(401));
  });

  test("a refresh token is good once, an access token for two hours", async () => {
    const stage = await onStage();
    const fields = { grant_type: "refresh_token", refresh_token: stage.refreshToken };
    expect(await stage.oauth("token", fields, "Bearer x")).toMatchObject({
      status: 401,
      body: { error: "unauthorized_client" },
    });
    const pair = await stage.oauth("token", fields);
    expect(pair).toMatchObject({ status: 200, body: { token_type: "bearer", expires_in: 7_200 } });
    expect(await stage.oauth("token", fields)).toMatchObject({
      status: 400,
      body: {
        error: "invalid_request",
        error_description: "Value passed for the token was invalid.",
      },
    });
    stage.useToken(pair.body.access_token);
    expect(await stage.get("/2/users/me")).toMatchObject({ status: 200 });
    stage.harness.advance(7_201);
    expect(await stage.get("/2/users/me")).toMatchObject(refusal(401));
    const next = { ...fields, refresh_token: pair.body.refresh_token };
    expect(await stage.oauth("token", next)).toMatchObject({ status: 200 });
  });

  test("a revoked token is refused", async () => {
    const stage = await onStage();
    const token = sandboxCredentials("x", stage.me.name).accessToken;
    expect(await stage.oauth("revoke", { token })).toMatchObject({
      status: 200,
      body: { revoked: true },
    });
    expect(await stage.get("/2/users/me")).toMatchObject(refusal(401));
    expect(await stage.oauth("revoke", { token: "foreign" })).toMatchObject({ status: 400 });
  });

  test("users are found by their names, those that are not there in errors", async () => {
    const stage = await onStage();
    const found = await stage.get("/2/users/by?usernames=ada,nobody,grace");
    expect(found.body.data.map(({ username }: { username: string }) => username)).toEqual([
      "ada",
      "grace",
    ]);
    expect(found.body.errors).toMatchObject([{ value: "nobody", parameter: "usernames" }]);
    expect(await stage.get("/2/users/by?usernames=not%20a%20name")).toMatchObject(INVALID);
    const many = Array.from({ length: 101 }, (_, index) => `u${index}`).join();
    expect(await stage.get(`/2/users/by?usernames=${many}`)).toMatchObject(INVALID);
  });
});

describe("posts", () => {
  test("a post is made with HTTP 201, and stands in the list with its links shortened", async () => {
    const stage = await onStage();
    const made = await stage.tweet({ text: "See example.com & more" });
    expect(made).toMatchObject({
      status: 201,
      body: {
        data: {
          id: expect.stringMatching(/^\d{18,19}$/),
          text: expect.stringMatching(/^See https:\/\/t\.co\/\w{10} &amp; more$/),
        },
      },
    });
    const listed = await stage.list("?tweet.fields=created_at,entities,attachments");
    const { id, text } = made.body.data;
    expect(listed.body).toMatchObject({
      data: [
        {
          id,
          text,
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
          entities: { urls: [{ expanded_url: "http://example.com" }] },
        },
      ],
      meta: { result_count: 1, newest_id: id },
    });
    expect(Object.keys((await stage.list()).body.data[0])).toEqual(["id", "text"]);
  });

  test("a long text is cut in the list, and whole in its note", async () => {
    const stage = await onStage();
    const text = "Lorem ipsum ".repeat(40).trim();
    await stage.tweet({ text });
    const { data } = (await stage.list("?post.fields=note_tweet")).body;
    expect(data[0].text).toHaveLength(280);
    expect(data[0].note_tweet.text).toBe(text);
  });

  test("a list has pages, a beginning and parameters of its own", async () => {
    const stage = await onStage();
    for (let n = 0; n < 6; n++) {
      await stage.tweet({ text: `Post ${n}` });
      stage.harness.advance(10);
    }
    const first = await stage.list("?max_results=5");
    expect(first.body.data).toHaveLength(5);
    const rest = await stage.list(`?max_results=5&pagination_token=${first.body.meta.next_token}`);
    expect(rest.body).toMatchObject({ data: [{ text: "Post 0" }], meta: { result_count: 1 } });
    const since = new Date(Date.now() - 25_000).toISOString().slice(0, 19);
    expect((await stage.list(`?start_time=${since}Z`)).body.meta.result_count).toBe(2);
    for (const query of ["max_results=4", "max_results=101", "start_time=now", "limit=5"]) {
      expect(await stage.list(`?${query}`)).toMatchObject(INVALID);
    }
    expect(await stage.get("/2/users/1/tweets")).toMatchObject(refusal(403));
  });

  test("the same text is refused for a day", async () => {
    const stage = await onStage();
    await stage.tweet({ text: "Once" });
    expect(await stage.tweet({ text: "Once" })).toMatchObject({
      status: 403,
      body: { detail: "You are not allowed to create a Tweet with duplicate content." },
    });
    expect(await stage.tweet({ text: "Once more" })).toMatchObject({ status: 201 });
    const other = await onStage();
    expect(await other.tweet({ text: "Once" })).toMatchObject({ status: 201 });
    stage.harness.advance(86_401);
    expect(await stage.tweet({ text: "Once" })).toMatchObject({ status: 201 });
  });

  test.each<[string, object]>([
    ["nothing", {}],
    ["an unknown field", { text: "a", x_premium: true }],
    ["an unknown field of media", { text: "a", media: { media_ids: ["1"], alt_text: "a" } }],
    ["reply settings of everyone", { text: "a", reply_settings: "everyone" }],
    ["an id that is a number", { text: "a", media: { media_ids: [1] } }],
    ["media that is not there", { text: "a", media: { media_ids: ["1"] } }],
    ["five media", { text: "a", media: { media_ids: ["1", "2", "3", "4", "5"] } }],
    ["a poll of one", { text: "a", poll: { options: ["a"], duration_minutes: 5 } }],
    ["a long choice", { text: "a", poll: { options: ["a", "x".repeat(26)], duration_minutes: 5 } }],
    ["a poll of 4 minutes", { text: "a", poll: { options: ["a", "b"], duration_minutes: 4 } }],
    ["a community that is a word", { text: "a", community_id: "mine" }],
  ])("%s is refused", async (_, body) => {
    const stage = await onStage();
    expect(await stage.tweet(body)).toMatchObject(INVALID);
    expect((await stage.list()).body.meta.result_count).toBe(0);
  });

  test("a text is as long as the subscription allows", async () => {
    const free = await onStage("Free");
    expect((await free.get("/2/users/me?user.fields=subscription_type")).body.data).toMatchObject({
      subscription_type: "None",
    });
    expect(await free.tweet({ text: "x".repeat(281) })).toMatchObject({
      status: 403,
      body: { detail: "You are not permitted to perform this action." },
    });
    expect(await free.tweet({ text: "漢".repeat(140) })).toMatchObject({ status: 201 });
    expect(await free.tweet({ text: "漢".repeat(141) })).toMatchObject({ status: 403 });
    const premium = await onStage();
    expect(await premium.tweet({ text: "x".repeat(25_000) })).toMatchObject({ status: 201 });
    expect(await premium.tweet({ text: "x".repeat(25_001) })).toMatchObject({ status: 403 });
  });

  test("two cashtags are refused", async () => {
    const stage = await onStage();
    expect(await stage.tweet({ text: "$AAPL and $MSFT" })).toMatchObject(refusal(403));
    expect(await stage.tweet({ text: "$AAPL for $5" })).toMatchObject({ status: 201 });
  });

  test("only JSON is read", async () => {
    const stage = await onStage();
    const body = JSON.stringify({ text: "Hello" });
    expect(await stage.send("POST", "/2/tweets", { body })).toMatchObject(INVALID);
    const headers = { "content-type": "application/json" };
    expect(await stage.send("POST", "/2/tweets", { headers, body: "{" })).toMatchObject(INVALID);
  });

  test("a deleted post is gone", async () => {
    const stage = await onStage();
    const { id } = (await stage.tweet({ text: "Hello" })).body.data;
    expect(await stage.send("DELETE", `/2/tweets/${id}`)).toMatchObject({
      body: { data: { deleted: true } },
    });
    expect(await stage.send("DELETE", `/2/tweets/${id}`)).toMatchObject(MISSING);
    expect((await stage.list()).body.meta.result_count).toBe(0);
  });

  test.each([
    ["PUT", "/2/tweets"],
    ["POST", "/1.1/media/upload.json"],
    ["PUT", "/2/media/upload"],
    ["POST", "/2/media/upload/abc/append"],
  ])("%s %s is not known", async (method, path) => {
    expect(await (await onStage()).send(method, path)).toMatchObject(MISSING);
  });
});

describe("images", () => {
  test("stand in one post alone, with their keys", async () => {
    const stage = await onStage();
    const ids = [await stage.image(), await stage.image(testPng)];
    const made = await stage.tweet({ media: { media_ids: ids, tagged_user_ids: ["12"] } });
    expect(made).toMatchObject({
      status: 201,
      body: { data: { text: expect.stringMatching(/^https:\/\/t\.co\/\w+$/) } },
    });
    const { data } = (await stage.list("?tweet.fields=attachments,entities")).body;
    const [first] = data;
    expect(first.attachments.media_keys).toEqual(ids.map((id) => `3_${id}`));
    expect(first.entities.urls[0]).toMatchObject({ media_key: `3_${ids[0]}` });
    expect(await stage.tweet({ text: "Again", media: { media_ids: ids } })).toMatchObject({
      status: 400,
      body: { errors: [{ message: "Your media IDs are invalid." }] },
    });
  });

  test("expire after a day", async () => {
    const stage = await onStage();
    const id = await stage.image();
    stage.harness.advance(86_401);
    expect(await stage.tweet({ media: { media_ids: [id] } })).toMatchObject(INVALID);
  });

  test("belong to their account", async () => {
    const id = await (await onStage()).image();
    const other = await onStage();
    expect(await other.tweet({ media: { media_ids: [id] } })).toMatchObject(INVALID);
  });

  test.each<[string, Record<string, string | Uint8Array<ArrayBuffer>>, object]>([
    [
      "another field",
      { media: testJpeg, media_category: "tweet_image", media_type: "image/jpeg" },
      INVALID,
    ],
    ["no category", { media: testJpeg }, INVALID],
    ["a category for segments", { media: verticalMp4, media_category: "tweet_video" }, INVALID],
    ["no file", { media_category: "tweet_image" }, INVALID],
    ["a video", { media: verticalMp4, media_category: "tweet_image" }, INVALID],
    [
      "5,000,001 bytes",
      { media: new Uint8Array(5_000_001), media_category: "tweet_image" },
      INVALID,
    ],
    [
      "much more",
      { media: new Uint8Array(5_100_000), media_category: "tweet_image" },
      { status: 413, body: null },
    ],
  ])("%s is refused", async (_, fields, expected) => {
    expect(await (await onStage()).multipart("/2/media/upload", fields)).toMatchObject(expected);
  });

  test("take an alternative text of up to 1,000 characters", async () => {
    const stage = await onStage();
    const id = await stage.image();
    const describe = (text: string, more: object = {}) =>
      stage.post("/2/media/metadata", { id, metadata: { alt_text: { text } }, ...more });
    expect(await describe("é".repeat(1_000))).toMatchObject({
      status: 200,
      body: { data: { id } },
    });
    expect(await describe("é".repeat(1_001))).toMatchObject(INVALID);
    expect(await describe("")).toMatchObject(INVALID);
    expect(await describe("a", { media_id: id })).toMatchObject(INVALID);
    expect(await describe("a", { id: "1" })).toMatchObject(MISSING);
  });
});

describe("files in segments", () => {
  test("are looked through before they can be posted", async () => {
    const stage = await onStage();
    const id = await upload(stage);
    expect(await stage.tweet({ media: { media_ids: [id] } })).toMatchObject(INVALID);
    expect(await finalize(stage, id)).toMatchObject({
      status: 200,
      body: {
        data: {
          id,
          media_key: `7_${id}`,
          size: verticalMp4.byteLength,
          processing_info: { state: "in_progress", check_after_secs: 3 },
        },
      },
    });
    expect(await stage.tweet({ media: { media_ids: [id] } })).toMatchObject(INVALID);
    stage.harness.advance(4);
    expect(await statusOf(stage, id)).toMatchObject({ processing_info: { state: "succeeded" } });
    const image = await stage.image();
    expect(await stage.tweet({ media: { media_ids: [id, image] } })).toMatchObject(INVALID);
    expect(await stage.tweet({ media: { media_ids: [id] } })).toMatchObject({ status: 201 });
  });

  test("fail when they are not what was announced", async () => {
    const stage = await onStage();
    const id = await upload(stage, testPng);
    await finalize(stage, id);
    stage.harness.advance(4);
    expect(await statusOf(stage, id)).toMatchObject({
      processing_info: { state: "failed", error: { name: "InvalidMedia" } },
    });
    expect(await stage.tweet({ media: { media_ids: [id] } })).toMatchObject(INVALID);
  });

  test.each<[string, string, number, string]>([
    ["tweet_video", "Raw", 140, "succeeded"],
    ["tweet_video", "Raw", 141, "failed"],
    ["amplify_video", "Raw", 141, "succeeded"],
    ["amplify_video", "Free", 1_200, "succeeded"],
    ["amplify_video", "Free", 1_201, "failed"],
    ["amplify_video", "Raw", 7_501, "failed"],
  ])("a %s of the account %s that lasts %i s has %s", async (category, name, seconds, state) => {
    const stage = await onStage(name);
    const id = await upload(stage, lasting(seconds), { ...VIDEO, media_category: category });
    await finalize(stage, id);
    stage.harness.advance(4);
    const isLong = state === "failed";
    expect(await statusOf(stage, id)).toMatchObject({
      processing_info: {
        state,
        ...(isLong ? { error: { message: expect.stringContaining("exceeds max duration") } } : {}),
      },
    });
    expect(await stage.tweet({ media: { media_ids: [id] } })).toMatchObject({
      status: isLong ? 400 : 201,
    });
  });

  test.each<[string, object]>([
    ["another field", { ...VIDEO, total_bytes: 5, shared: true }],
    ["no size", VIDEO],
    ["a type that does not fit", { ...VIDEO, media_type: "image/png", total_bytes: 5 }],
    ["an unknown category", { ...VIDEO, media_category: "video", total_bytes: 5 }],
    [
      "a GIF above 15 MB",
      { media_type: "image/gif", media_category: "tweet_gif", total_bytes: 15_000_001 },
    ],
    [
      "subtitles above 1 MiB",
      { media_type: "text/srt", media_category: "subtitles", total_bytes: 1_048_577 },
    ],
  ])("%s is refused at the opening", async (_, body) => {
    expect(await (await onStage()).post(INITIALIZE, body)).toMatchObject(INVALID);
  });

  test("segments may come again and in any order, but none may be missing", async () => {
    const stage = await onStage();
    const { id } = (await stage.post(INITIALIZE, { ...VIDEO, total_bytes: verticalMp4.byteLength }))
      .body.data;
    const append = (media: Uint8Array<ArrayBuffer>, segment_index: string) =>
      stage.multipart(`/2/media/upload/${id}/append`, { media, segment_index });
    const half = Math.ceil(verticalMp4.byteLength / 2);
    await append(verticalMp4.slice(half), "1");
    expect(await finalize(stage, id)).toMatchObject({
      status: 400,
      body: { errors: [{ message: "Segments do not add up to provided total file size." }] },
    });
    await append(verticalMp4, "0");
    await append(verticalMp4.slice(0, half), "0");
    expect(await finalize(stage, id)).toMatchObject({ status: 200 });
    stage.harness.advance(4);
    expect(await statusOf(stage, id)).toMatchObject({ processing_info: { state: "succeeded" } });
    expect(await append(verticalMp4, "0")).toMatchObject(INVALID);
    expect(await finalize(stage, id)).toMatchObject(INVALID);
  });

  test.each<[string, Record<string, string | Uint8Array<ArrayBuffer>>, object]>([
    ["no number", { media: testPng }, INVALID],
    ["the number 1000", { media: testPng, segment_index: "1000" }, INVALID],
    ["no bytes", { media: new Uint8Array(), segment_index: "0" }, INVALID],
    ["another field", { media: testPng, segment_index: "0", media_id: "5" }, INVALID],
    ["5 MB", { media: new Uint8Array(5_000_000), segment_index: "0" }, { status: 413, body: null }],
  ])("a segment with %s is refused", async (_, fields, expected) => {
    const stage = await onStage();
    const { id } = (await stage.post(INITIALIZE, { ...VIDEO, total_bytes: 100 })).body.data;
    expect(await stage.multipart(`/2/media/upload/${id}/append`, fields)).toMatchObject(expected);
  });

  test("what was never opened is not there", async () => {
    const stage = await onStage();
    expect(await finalize(stage, "19000")).toMatchObject(MISSING);
    expect(await stage.get("/2/media/upload?command=STATUS&media_id=19000")).toMatchObject(MISSING);
    expect(await stage.get("/2/media/upload?command=INIT&media_id=19000")).toMatchObject(INVALID);
  });

  test.each([
    ["tweet_video", "TweetVideo", "AmplifyVideo"],
    ["amplify_video", "AmplifyVideo", "TweetVideo"],
  ])("subtitles are added to a video as %s, and to nothing else", async (category, name, other) => {
    const stage = await onStage();
    const video = await upload(stage, verticalMp4, { ...VIDEO, media_category: category });
    await finalize(stage, video);
    const text = new TextEncoder().encode("WEBVTT\n\n00:00.000 --> 00:01.000\nHello");
    const file = await upload(stage, text as Uint8Array<ArrayBuffer>, {
      media_type: "text/vtt",
      media_category: "subtitles",
    });
    const add = (change: object = {}, subtitles: object = {}) =>
      stage.post("/2/media/subtitles", {
        id: video,
        media_category: name,
        subtitles: { id: file, language_code: "EN", display_name: "English", ...subtitles },
        ...change,
      });
    expect(await add()).toMatchObject(INVALID);
    const closed = await finalize(stage, file);
    expect(closed.body.data).not.toHaveProperty("processing_info");
    expect(await add({}, { language_code: "en" })).toMatchObject(INVALID);
    expect(await add({ media_category: other })).toMatchObject(INVALID);
    expect(await add({ id: await stage.image() })).toMatchObject(INVALID);
    expect(await add({}, { id: video })).toMatchObject(INVALID);
    expect(await add()).toMatchObject({
      status: 200,
      body: { data: { associated_subtitles: [{ id: file, language_code: "EN" }] } },
    });
  });
});

test("steering words are said in X's own words", async () => {
  const stage = await onStage();
  const limited = await stage.tweet({ text: "[sandbox:rate_limited]" });
  expect(limited).toMatchObject({ status: 429 });
  const resetsAt = Number(limited.headers.get("x-rate-limit-reset"));
  expect(resetsAt - Date.now() / 1_000).toBeGreaterThan(600);
  expect(await stage.tweet({ text: "[sandbox:5xx=1]" })).toMatchObject(refusal(503));
  expect(await stage.tweet({ text: "[sandbox:5xx=1]" })).toMatchObject({ status: 201 });
  expect(await stage.tweet({ text: "[sandbox:platform_unavailable]" })).toMatchObject({
    status: 402,
    body: { title: "CreditsDepleted" },
  });
  await expect(stage.tweet({ text: "[sandbox:lost_reply]" })).rejects.toThrow("lost");
  await expect(stage.tweet({ text: "[sandbox:queue_expired]" })).rejects.toThrow("queue_expired");
  expect((await stage.list()).body.meta.result_count).toBe(2);
});
