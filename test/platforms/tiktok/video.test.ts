import { describe, expect, test } from "vitest";
import type { Bookmark, VideoFacts } from "../../../src/platforms/connector.ts";
import { tiktok } from "../../../src/platforms/tiktok/index.ts";
import {
  type Answer,
  CREATOR,
  data,
  error,
  FACTS,
  type JobChange,
  job,
  NOW,
  scriptedFetch,
  UPLOAD_URL,
  video,
} from "./scripted.ts";

const SIZE = 65_000_000;
const long = video({ sizeBytes: SIZE });

const UPLOADING = {
  stage: "uploading",
  publishId: "v_pub_file~1",
  uploadUrl: UPLOAD_URL,
  chunkSize: 10_000_000,
  count: 6,
  next: 0,
  realigned: 0,
  username: "ada",
  isForInbox: false,
  isPublic: true,
  warnings: [] as string[],
};
const LAST = { ...UPLOADING, next: 5 };
const PROCESSING = {
  stage: "processing",
  publishId: "v_pub_file~1",
  username: "ada",
  isForInbox: false,
  isPublic: true,
  warnings: [] as string[],
  since: NOW.getTime(),
  completeSince: null,
};

const opened = () => data({ publish_id: "v_pub_file~1", upload_url: UPLOAD_URL });
const chunk = (status: number, range?: string) => () =>
  new Response(null, { status, headers: range ? { "content-range": range } : {} });
const status = (fields: object) => data(fields);

type Step = "prepare" | "submit" | "reconcile";

async function step(
  name: Step,
  script: Record<string, Answer[]>,
  bookmark: Bookmark | null,
  change: JobChange = {},
) {
  const { fetch, calls } = scriptedFetch(script);
  const publishJob = job(fetch, { media: [long], ...change });
  const stored = bookmark && (JSON.parse(JSON.stringify(bookmark)) as Bookmark);
  const result =
    name === "prepare"
      ? await tiktok.prepare(publishJob, stored)
      : await tiktok[name](publishJob, stored ?? {});
  return { result, calls, ranges: publishJob.ranges };
}

const open = (change: JobChange = {}, creator: object = {}, init: Answer[] = [opened()]) =>
  step(
    "prepare",
    { "creator_info/query/": [data({ ...CREATOR, ...creator })], "video/init/": init },
    null,
    change,
  );

describe("opening a direct post", () => {
  test("asks the creator first, then says all of the post, and stores the id before any byte", async () => {
    const { result, calls } = await open({
      description: "More",
      settings: { disable_duet: "true", video_cover_timestamp_ms: "1500", is_aigc: "1" },
    });
    expect(result).toEqual({ kind: "next", bookmark: UPLOADING });
    expect(calls).toMatchObject([
      { method: "POST", path: "creator_info/query/", json: {}, redirect: "manual" },
      {
        method: "POST",
        url: "https://open.tiktokapis.com/v2/post/publish/video/init/",
        headers: {
          authorization: "Bearer act.1",
          "content-type": "application/json; charset=UTF-8",
        },
        redirect: "manual",
      },
    ]);
    expect(calls[1]?.json).toEqual({
      post_info: {
        privacy_level: "PUBLIC_TO_EVERYONE",
        title: "Look\nMore",
        disable_comment: false,
        disable_duet: true,
        disable_stitch: false,
        brand_content_toggle: false,
        brand_organic_toggle: false,
        is_aigc: true,
        video_cover_timestamp_ms: 1_500,
      },
      source_info: {
        source: "FILE_UPLOAD",
        video_size: SIZE,
        chunk_size: 10_000_000,
        total_chunk_count: 6,
      },
    });
  });

  test("keeps within what the creator may use", async () => {
    const { calls } = await open(
      { settings: { privacy_level: "FOLLOWER_OF_CREATOR" } },
      { comment_disabled: true, duet_disabled: true, stitch_disabled: true },
    );
    expect(calls[1]?.json.post_info).toMatchObject({
      privacy_level: "SELF_ONLY",
      disable_comment: true,
      disable_duet: true,
      disable_stitch: true,
    });
  });

  test("ends where branded content would become private", async () => {
    const settings = { privacy_level: "FOLLOWER_OF_CREATOR", brand_content_toggle: "true" };
    const { result, calls } = await open({ settings });
    expect(result).toMatchObject({
      kind: "failed",
      failure: { code: "unknown" },
      transient: false,
    });
    expect(calls).toHaveLength(1);
  });

  test.each([
    ["spam_risk_too_many_posts", "rate_limited"],
    ["spam_risk_user_banned_from_posting", "content_flagged"],
    ["reached_active_user_cap", "rate_limited"],
  ])("stops at %s, which comes with HTTP 200, before any byte", async (code, failure) => {
    const script = { "creator_info/query/": [error(200, code)] };
    const { result, calls } = await step("prepare", script, null);
    expect(result).toMatchObject({ kind: "failed", failure: { code: failure }, transient: false });
    expect(calls).toHaveLength(1);
  });

  test.each([
    "privacy_level_option_mismatch",
    "unaudited_client_can_only_post_to_private_accounts",
  ])("tries a post that is refused as %s once more as SELF_ONLY, with a warning", async (code) => {
    const refusal = () => error(403, code);
    const { result, calls } = await open({}, {}, [refusal(), opened()]);
    expect(result).toMatchObject({
      kind: "next",
      bookmark: { isPublic: false, warnings: [expect.stringContaining("SELF_ONLY")] },
    });
    expect(calls.slice(1).map((call) => call.json.post_info.privacy_level)).toEqual([
      "PUBLIC_TO_EVERYONE",
      "SELF_ONLY",
    ]);
    const twice = await open({}, {}, [refusal(), refusal()]);
    expect(twice.result).toMatchObject({ kind: "failed", failure: { code: "unknown" } });
  });

  test("says what to do where an app that is not audited may not even post privately", async () => {
    const settings = { privacy_level: "SELF_ONLY" };
    const refusal = error(403, "unaudited_client_can_only_post_to_private_accounts");
    const { result, calls } = await open({ settings }, {}, [refusal]);
    expect(result).toMatchObject({
      failure: { code: "unknown", message: expect.stringMatching(/private.*audit/) },
    });
    expect(calls).toHaveLength(2);
  });

  test("asks for a fresh token when this one is refused", async () => {
    const { result } = await open({}, {}, [error(401, "access_token_invalid")]);
    expect(result).toEqual({ kind: "token_expired" });
  });

  test("a lost answer is no answer: the runner opens another upload", async () => {
    await expect(open({}, {}, [new TypeError("Network connection lost.")])).rejects.toThrow();
  });
});

test("opens a video for the inbox without asking the creator and without text", async () => {
  const change = { settings: { post_mode: "MEDIA_UPLOAD" } };
  const { result, calls } = await step(
    "prepare",
    { "inbox/video/init/": [opened()] },
    null,
    change,
  );
  expect(result).toEqual({
    kind: "next",
    bookmark: { ...UPLOADING, username: null, isForInbox: true, isPublic: false },
  });
  expect(Object.keys(calls[0]?.json)).toEqual(["source_info"]);
});

test.each<[string, Partial<VideoFacts> | null, RegExp]>([
  ["no readable video", null, /not a readable video/],
  ["an unknown codec", { videoCodec: null }, /H\.264/],
  ["AV1", { videoCodec: "av1" }, /av1/],
  ["another container", { container: "video/x-matroska" }, /MP4, WebM and MOV/],
  ["22 frames per second", { framesPerSecond: 22 }, /23 to 60/],
  ["61 frames per second", { framesPerSecond: 61 }, /23 to 60/],
  ["a narrow picture", { width: 359 }, /360 to 4096/],
  ["a high picture", { height: 4_097 }, /360 to 4096/],
  ["more than the creator's 300 seconds", { durationSeconds: 301 }, /up to 300/],
])("refuses %s before anything is opened", async (_, facts, wording) => {
  const { result, calls } = await open({ facts: facts && { ...FACTS, ...facts } });
  expect(result).toMatchObject({
    kind: "failed",
    failure: { code: "media_invalid", message: expect.stringMatching(wording) },
    transient: false,
  });
  expect(calls.map((call) => call.path)).toEqual(["creator_info/query/"]);
});

test("takes 10 minutes where the creator's limit is not told, and no more", async () => {
  const none = { max_video_post_duration_sec: undefined };
  const ten = await open({ facts: { ...FACTS, durationSeconds: 600 } }, none);
  expect(ten.result).toMatchObject({ kind: "next" });
  const more = await open({ facts: { ...FACTS, durationSeconds: 601 } }, none);
  expect(more.result).toMatchObject({ failure: { code: "media_invalid" } });
});

test("does not judge what the header does not say, nor a rounded rate", async () => {
  const facts = {
    ...FACTS,
    durationSeconds: null,
    framesPerSecond: null,
    width: null,
    height: null,
  };
  expect((await open({ facts })).result).toMatchObject({ kind: "next" });
  const rate = { ...FACTS, framesPerSecond: 60.003 };
  expect((await open({ facts: rate })).result).toMatchObject({ kind: "next" });
});

describe("sending chunks", () => {
  test.each([0, 1, 2, 3, 4])("goes on at chunk %i from its bookmark alone", async (next) => {
    const { result, calls, ranges } = await step(
      "prepare",
      { "/video/": [chunk(206)] },
      { ...UPLOADING, next },
    );
    expect(result).toEqual({ kind: "next", bookmark: { ...UPLOADING, next: next + 1 } });
    const offset = next * 10_000_000;
    expect(ranges).toEqual([{ offset, length: 10_000_000 }]);
    expect(calls).toMatchObject([
      {
        method: "PUT",
        url: UPLOAD_URL,
        bytes: 10_000_000,
        redirect: "manual",
        headers: {
          "content-type": "video/mp4",
          "content-range": `bytes ${offset}-${offset + 9_999_999}/${SIZE}`,
        },
      },
    ]);
    expect(calls[0]?.headers).not.toHaveProperty("authorization");
  });

  test("stops before the last chunk, which makes the post", async () => {
    const { result, calls } = await step("prepare", {}, LAST);
    expect(result).toEqual({ kind: "ready", bookmark: LAST });
    expect(calls).toEqual([]);
    const single = { ...UPLOADING, chunkSize: 2_500, count: 1 };
    expect((await step("prepare", {}, single)).result).toMatchObject({ kind: "ready" });
  });

  test.each([
    ["a chunk further", "bytes 0-20000000/65000000", 2],
    ["a chunk back", "bytes 0-9999999/65000000", 1],
    ["at the last one", "bytes 0-50000000/65000000", 5],
    ["done", "bytes 0-65000000/65000000", 5],
  ])("goes on where TikTok is when that is %s (416)", async (_, range, next) => {
    const from = { ...UPLOADING, next: 3 };
    const { result } = await step("prepare", { "/video/": [chunk(416, range)] }, from);
    expect(result).toEqual({ kind: "next", bookmark: { ...from, next, realigned: 1 } });
  });

  test("is never begun again where TikTok has all of it", async () => {
    const worn = { ...UPLOADING, realigned: 3 };
    const answer = chunk(416, "bytes 0-65000000/65000000");
    expect((await step("prepare", { "/video/": [answer] }, worn)).result).toMatchObject({
      kind: "next",
      bookmark: { next: 5 },
    });
  });

  test.each<[string, Answer, object]>([
    ["a 416 without progress", chunk(416), {}],
    ["a 416 in the middle of a chunk", chunk(416, "bytes 0-1234/65000000"), {}],
    ["the fourth 416", chunk(416, "bytes 0-20000000/65000000"), { realigned: 3 }],
    ["an address that has run out (403)", chunk(403), {}],
    ["an upload that is gone (404)", chunk(404), {}],
    ["a 401, which cannot be the token's", chunk(401), {}],
  ])("begins again after %s", async (_, answer, change) => {
    const { result } = await step("prepare", { "/video/": [answer] }, { ...UPLOADING, ...change });
    expect(result).toMatchObject({
      kind: "failed",
      failure: { code: "platform_unavailable" },
      transient: true,
      restart: true,
    });
  });

  test("repeats a chunk that TikTok failed to take", async () => {
    const { result } = await step("prepare", { "/video/": [chunk(503)] }, UPLOADING);
    expect(result).toMatchObject({ kind: "failed", transient: true });
    expect(result).not.toHaveProperty("restart");
  });
});

describe("the last chunk", () => {
  const submit = (script: Record<string, Answer[]>) => step("submit", script, LAST);

  test("takes the remainder, and is followed", async () => {
    const { result, calls, ranges } = await submit({ "/video/": [chunk(201)] });
    expect(result).toEqual({ kind: "waiting", bookmark: PROCESSING, checkAfterSeconds: 5 });
    expect(ranges).toEqual([{ offset: 50_000_000, length: 15_000_000 }]);
    expect(calls[0]?.headers["content-range"]).toBe(`bytes 50000000-64999999/${SIZE}`);
  });

  test.each([206, 302, 408, 500, 502])("is undecided after HTTP %i", async (code) => {
    const { result } = await submit({ "/video/": [chunk(code)] });
    expect(result).toMatchObject({ kind: "unknown" });
  });

  const ask = (code: number, fields: object, range?: string) =>
    submit({ "/video/": [chunk(code, range)], "status/fetch/": [status(fields)] });
  const some = { status: "PROCESSING_UPLOAD", uploaded_bytes: 50_000_000 };

  test("refused for its headers (400) while bytes are missing it posts nothing", async () => {
    const { result } = await ask(400, some);
    expect(result).toMatchObject({
      kind: "failed",
      failure: { code: "unknown" },
      transient: false,
    });
    expect(result).not.toHaveProperty("restart");
  });

  test.each([401, 403, 404, 416])(
    "not taken (%i) while bytes are missing, it begins again",
    async (code) => {
      const { result } = await ask(code, some);
      expect(result).toMatchObject({ kind: "failed", transient: true, restart: true });
    },
  );

  test.each([400, 401, 403, 404, 405, 416])(
    "not taken (%i), it is given up only where TikTok misses bytes",
    async (code) => {
      const all = await ask(code, { status: "PROCESSING_UPLOAD", uploaded_bytes: SIZE });
      expect(all.result).toMatchObject({ kind: "waiting", bookmark: PROCESSING });
      const done = await ask(code, { status: "PUBLISH_COMPLETE" });
      expect(done.result).toMatchObject({ kind: "waiting", bookmark: PROCESSING });
      const silent = await ask(code, { status: "PROCESSING_UPLOAD" });
      expect(silent.result).toMatchObject({ kind: "unknown" });
      const none = await submit({
        "/video/": [chunk(code)],
        "status/fetch/": [error(500, "internal_error")],
      });
      expect(none.result).toMatchObject({ kind: "unknown" });
    },
  );

  test.each([64_999_999, SIZE])("that is there already, up to %i, is followed", async (end) => {
    const { result, calls } = await submit({ "/video/": [chunk(416, `bytes 0-${end}/${SIZE}`)] });
    expect(result).toMatchObject({ kind: "waiting", bookmark: PROCESSING });
    expect(calls).toHaveLength(1);
  });

  test("is sent again after too many calls (429), with nothing lost", async () => {
    const { result } = await submit({ "/video/": [chunk(429)] });
    expect(result).toMatchObject({ failure: { code: "rate_limited" }, transient: true });
    expect(result).not.toHaveProperty("restart");
  });
});

describe("a last chunk without an answer", () => {
  const reconcile = (answer: Answer) => step("reconcile", { "status/fetch/": [answer] }, LAST);

  test("is there once TikTok is done", async () => {
    const done = { status: "PUBLISH_COMPLETE", publicaly_available_post_id: ["75"] };
    const { result, calls } = await reconcile(status(done));
    expect(result).toEqual({
      kind: "published",
      platformPostId: "75",
      shareUrl: "https://www.tiktok.com/@ada/video/75",
    });
    expect(calls[0]?.json).toEqual({ publish_id: "v_pub_file~1" });
  });

  test("is followed until TikTok tells its id", async () => {
    const { result } = await reconcile(status({ status: "PUBLISH_COMPLETE" }));
    expect(result).toMatchObject({ kind: "waiting", bookmark: PROCESSING });
  });

  test("is absent, and can be sent again, while bytes are missing", async () => {
    const fields = { status: "PROCESSING_UPLOAD", uploaded_bytes: 50_000_000 };
    expect((await reconcile(status(fields))).result).toEqual({ kind: "absent" });
  });

  test.each<[string, object]>([
    ["all bytes are there", { status: "PROCESSING_UPLOAD", uploaded_bytes: SIZE }],
    ["TikTok does not say how many are", { status: "PROCESSING_UPLOAD" }],
    ["it is processed", { status: "PROCESSING_DOWNLOAD" }],
    ["it was given up, which the next look reads", { status: "FAILED", fail_reason: "spam_risk" }],
  ])("is followed where %s", async (_, fields) => {
    expect((await reconcile(status(fields))).result).toMatchObject({
      kind: "waiting",
      bookmark: PROCESSING,
    });
  });

  test("is asked after with a fresh token, later, or not at all", async () => {
    expect((await reconcile(error(401, "access_token_invalid"))).result).toEqual({
      kind: "token_expired",
    });
    await expect(reconcile(error(500, "internal_error"))).rejects.toThrow("internal_error");
    await expect(reconcile(error(429, "rate_limit_exceeded"))).rejects.toThrow();
    expect((await reconcile(error(400, "invalid_publish_id"))).result).toMatchObject({
      kind: "unknowable",
    });
  });
});

test("a post without a file cannot be prepared", async () => {
  expect((await step("prepare", {}, null, { media: [] })).result).toMatchObject({
    failure: { code: "media_invalid" },
  });
});
