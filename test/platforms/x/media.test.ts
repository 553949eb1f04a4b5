import { describe, expect, test } from "vitest";
import type { Bookmark } from "../../../src/platforms/connector.ts";
import { x } from "../../../src/platforms/x/index.ts";
import { segmentCount, segmentRange, segmentSize } from "../../../src/platforms/x/segments.ts";
import {
  type Answer,
  data,
  FACTS,
  gif,
  image,
  type JobChange,
  job,
  NOW,
  problem,
  scriptedFetch,
  video,
} from "./scripted.ts";

const MIB = 1_048_576;

test.each([
  [1, MIB, 1],
  [MIB, MIB, 1],
  [MIB + 1, MIB, 2],
  [512_000_000, MIB, 489],
  [900_000_000, MIB, 859],
  [900_000_001, 2 * MIB, 430],
  [1_000_000_000, 2 * MIB, 477],
])("%i bytes go up in segments of %i", (sizeBytes, size, count) => {
  expect([segmentSize(sizeBytes), segmentCount(sizeBytes)]).toEqual([size, count]);
  const last = segmentRange(sizeBytes, count - 1);
  expect(last.offset + last.length).toBe(sizeBytes);
});

const ID = "1995400000000000007";
const UPLOAD = "POST /2/media/upload";
const INITIALIZE = "POST /2/media/upload/initialize";
const APPEND = `POST /2/media/upload/${ID}/append`;
const FINALIZE = `POST /2/media/upload/${ID}/finalize`;
const STATUS = "GET /2/media/upload";

const BEGUN = {
  stage: "preparing",
  videoCategory: "tweet_video",
  taggedIds: [],
  subtitles: { state: "done" } as object,
  mediaIds: [] as string[],
  upload: null as object | null,
  described: 0,
  warnings: [] as string[],
};
const sending = (segmentIndex: number, processed: number | null = null) => ({
  ...BEGUN,
  upload: { mediaId: ID, segmentIndex, processed },
});

async function prepare(
  script: Record<string, Answer[]>,
  bookmark: Bookmark | null,
  change: JobChange,
) {
  const { fetch, calls } = scriptedFetch(script);
  const publishJob = job(fetch, change);
  const stored = bookmark && (JSON.parse(JSON.stringify(bookmark)) as Bookmark);
  return { result: await x.prepare(publishJob, stored), calls, ranges: publishJob.ranges };
}

describe("images", () => {
  test("go up whole, with nothing but their category", async () => {
    const change = { media: [image(), image({ mime: "image/webp" })] };
    const first = await prepare(
      { [UPLOAD]: [data({ id: ID, media_key: `3_${ID}` })] },
      null,
      change,
    );
    expect(first.result).toEqual({ kind: "next", bookmark: { ...BEGUN, mediaIds: [ID] } });
    expect(first.calls).toMatchObject([
      { parts: { media: "media image/jpeg 3000", media_category: "tweet_image" } },
    ]);
    expect(Object.keys(first.calls[0]?.parts ?? {})).toHaveLength(2);
    const second = await prepare(
      { [UPLOAD]: [data({ id: "8" })] },
      { ...BEGUN, mediaIds: [ID] },
      change,
    );
    expect(second.result).toMatchObject({ bookmark: { mediaIds: [ID, "8"] } });
    expect(second.calls[0]?.parts.media).toContain("image/webp");
    const third = await prepare({}, { ...BEGUN, mediaIds: [ID, "8"] }, change);
    expect(third.result).toEqual({
      kind: "ready",
      bookmark: {
        stage: "ready",
        taggedIds: [],
        mediaIds: [ID, "8"],
        warnings: [],
        readyAt: NOW.getTime(),
      },
    });
  });

  test("get their alternative text one by one", async () => {
    const change = { media: [image(), image()], settings: { x_alt_text: "A square" } };
    const at = { ...BEGUN, mediaIds: [ID, "8"] };
    const { result, calls } = await prepare(
      { "POST /2/media/metadata": [data({ id: ID })] },
      at,
      change,
    );
    expect(result).toMatchObject({ kind: "next", bookmark: { described: 1 } });
    expect(calls[0]?.json).toEqual({ id: ID, metadata: { alt_text: { text: "A square" } } });
    const second = await prepare(
      { "POST /2/media/metadata": [data({})] },
      { ...at, described: 1 },
      change,
    );
    expect(second.calls[0]?.json).toMatchObject({ id: "8" });
    expect((await prepare({}, { ...at, described: 2 }, change)).result.kind).toBe("ready");
  });

  test("a refusal is told", async () => {
    const change = { media: [image()] };
    expect(await prepare({ [UPLOAD]: [problem(401, "No")] }, null, change)).toMatchObject({
      result: { kind: "token_expired" },
    });
    expect(await prepare({ [UPLOAD]: [data({ id: 5 })] }, null, change)).toMatchObject({
      result: { kind: "failed", transient: true },
    });
  });
});

describe("segments", () => {
  const long = video({ sizeBytes: 5 * MIB + 7 });

  test.each([
    ["a video", long, { media_type: "video/mp4", media_category: "tweet_video" }],
    [
      "a MOV",
      video({ mime: "video/quicktime" }),
      { media_type: "video/quicktime", media_category: "tweet_video" },
    ],
    ["a GIF", gif(), { media_type: "image/gif", media_category: "tweet_gif" }],
  ])("%s is announced", async (_, item, announced) => {
    const { result, calls } = await prepare({ [INITIALIZE]: [data({ id: ID })] }, null, {
      media: [item],
    });
    expect(calls[0]?.json).toEqual({ ...announced, total_bytes: item.sizeBytes });
    expect(result).toEqual({ kind: "next", bookmark: sending(0) });
  });

  const taken = () => data({ expires_at: 1 });

  test.each([
    [140, "tweet_video"],
    [141, "amplify_video"],
    [1_200, "amplify_video"],
  ])("a video of %i s goes up as %s", async (durationSeconds, media_category) => {
    const change = { media: [long], facts: { ...FACTS, durationSeconds } };
    const { calls } = await prepare({ [INITIALIZE]: [data({ id: ID })] }, null, change);
    expect(calls[0]?.json).toMatchObject({ media_category });
  });

  test("four go up in a step, each read on its own", async () => {
    const script = { [APPEND]: [taken(), taken(), taken(), taken()] };
    const { result, calls, ranges } = await prepare(script, sending(0), { media: [long] });
    expect(result).toEqual({ kind: "next", bookmark: sending(4) });
    expect(calls.map(({ parts }) => parts.segment_index)).toEqual(["0", "1", "2", "3"]);
    expect(calls[0]?.parts.media).toMatch(/ 1048576$/);
    expect(ranges).toEqual([0, 1, 2, 3].map((index) => ({ offset: index * MIB, length: MIB })));
  });

  test("it goes on where the bookmark stands, to a last one that is shorter", async () => {
    const script = { [APPEND]: [taken(), new Response(null, { status: 204 })] };
    const { result, ranges } = await prepare(script, sending(4), { media: [long] });
    expect(result).toEqual({ kind: "next", bookmark: sending(6) });
    expect(ranges.at(-1)).toEqual({ offset: 5 * MIB, length: 7 });
  });

  test("a slow network makes shorter steps", async () => {
    let seconds = 0;
    const late = () => {
      seconds += 20;
      return taken();
    };
    const now = () => new Date(NOW.getTime() + seconds * 1_000);
    const { result } = await prepare({ [APPEND]: [late, late, late] }, sending(0), {
      media: [long],
      now,
    });
    expect(result).toEqual({ kind: "next", bookmark: sending(2) });
  });

  test("what arrived before a refusal is kept", async () => {
    const script = { [APPEND]: [taken(), new Response(null, { status: 413 })] };
    const { result } = await prepare(script, sending(0), { media: [long] });
    expect(result).toEqual({ kind: "next", bookmark: sending(1) });
  });

  test.each<[string, () => Response, object]>([
    [
      "413",
      () => new Response(null, { status: 413 }),
      { failure: { code: "platform_unavailable" }, transient: true },
    ],
    ["404", () => problem(404, "Gone"), { transient: true, restart: true }],
    ["401", () => problem(401, "No"), { kind: "token_expired" }],
    ["503", () => problem(503, "Down"), { transient: true }],
  ])("%s is told", async (_, answer, expected) => {
    const { result } = await prepare({ [APPEND]: [answer()] }, sending(0), { media: [long] });
    expect(result).toMatchObject(expected);
  });

  test("a file that is shorter than it should be is not sent", async () => {
    const { fetch } = scriptedFetch({});
    const publishJob = {
      ...job(fetch, { media: [long] }),
      readMedia: async () => new Blob(["a"]).stream(),
    };
    await expect(x.prepare(publishJob, sending(0))).rejects.toThrow(
      "did not see all expected bytes",
    );
  });
});

describe("processing", () => {
  const change = { media: [video()] };
  const info = (processing_info: object | undefined) => data({ id: ID, processing_info });
  const complete = { kind: "next", bookmark: { ...BEGUN, mediaIds: [ID] } };

  test("begins with a call without a body", async () => {
    const pending = info({ state: "pending", check_after_secs: 3 });
    const { result, calls } = await prepare({ [FINALIZE]: [pending] }, sending(3), change);
    expect(calls[0]?.text).toBe("");
    expect(result).toEqual({ kind: "waiting", bookmark: sending(3, 0), checkAfterSeconds: 3 });
  });

  test.each<[string, object | undefined, object]>([
    ["none", undefined, complete],
    ["succeeded", { state: "succeeded" }, complete],
    [
      "in progress",
      { state: "in_progress", check_after_secs: 10, progress_percent: 40 },
      { kind: "waiting", bookmark: sending(3, 40), checkAfterSeconds: 10 },
    ],
    [
      "in progress for an hour",
      { state: "in_progress", check_after_secs: 3_600 },
      { kind: "waiting", bookmark: sending(3, 0), checkAfterSeconds: 30 },
    ],
    [
      "failed",
      { state: "failed", error: { code: 1, name: "InvalidMedia", message: "Bad" } },
      { kind: "failed", failure: { code: "media_invalid" }, transient: false },
    ],
    [
      "failed at X",
      { state: "failed", error: { code: 131, name: "InternalError", message: "Sorry" } },
      { kind: "failed", failure: { code: "platform_unavailable" }, restart: true },
    ],
  ])("%s", async (_, processing, expected) => {
    const { result, calls } = await prepare(
      { [STATUS]: [info(processing)] },
      sending(3, 0),
      change,
    );
    expect(calls[0]?.query).toEqual({ command: "STATUS", media_id: ID });
    expect(result).toMatchObject(expected);
  });

  test("that had begun without an answer is followed", async () => {
    const refused = () => problem(400, "Already finalized");
    const script = { [FINALIZE]: [refused()], [STATUS]: [info({ state: "succeeded" })] };
    expect((await prepare(script, sending(3), change)).result).toEqual(complete);
    const unfinished = { [FINALIZE]: [refused()], [STATUS]: [info(undefined)] };
    expect((await prepare(unfinished, sending(3), change)).result).toMatchObject({
      kind: "failed",
      failure: { code: "unknown", message: "Already finalized" },
    });
  });

  test("that may have begun, and cannot be asked about now, is asked about again", async () => {
    const script = {
      [FINALIZE]: [problem(400, "Already finalized")],
      [STATUS]: [problem(503, "")],
    };
    const { result } = await prepare(script, sending(3), change);
    expect(result).toMatchObject({ kind: "failed", transient: true });
    expect(result).not.toHaveProperty("restart");
  });

  test("of a file that is gone begins anew", async () => {
    for (const status of [400, 404]) {
      const { result } = await prepare(
        { [STATUS]: [problem(status, "No")] },
        sending(3, 0),
        change,
      );
      expect(result).toMatchObject({ kind: "failed", transient: true, restart: true });
    }
  });
});

describe("subtitles", () => {
  const URL_OF_FILE = "https://example.com/a.srt";
  const GET = "GET /a.srt";
  const SRT = "1\r\n00:00:00,000 --> 00:00:01,000\r\nHello";
  const change = { media: [video()], settings: { x_subtitles_url: URL_OF_FILE } };
  const missing = { ...BEGUN, subtitles: { state: "missing" } };

  test.each([
    ["SRT", SRT, "text/srt"],
    ["WebVTT", "\uFEFFWEBVTT\n\n00:00.000 --> 00:01.000\nHello", "text/vtt"],
  ])("%s is fetched and brought to X in one step", async (_, text, media_type) => {
    const { result, calls } = await prepare(
      {
        [GET]: [new Response(text)],
        [INITIALIZE]: [data({ id: ID })],
        [APPEND]: [data({})],
        [FINALIZE]: [data({ id: ID })],
      },
      null,
      change,
    );
    expect(result).toEqual({
      kind: "next",
      bookmark: { ...BEGUN, subtitles: { state: "uploaded", id: ID } },
    });
    expect(calls[0]).toMatchObject({ url: URL_OF_FILE, redirect: "manual" });
    expect(calls[0]?.headers).not.toHaveProperty("authorization");
    expect(calls[1]?.json).toMatchObject({ media_type, media_category: "subtitles" });
    expect(calls[2]?.parts.media).toMatch(new RegExp(` ${calls[1]?.json.total_bytes}$`));
  });

  test.each<[string, () => Answer, string, boolean]>([
    ["an address that does not answer", () => new Error("No route"), "media_unreachable", true],
    ["404", () => new Response("No", { status: 404 }), "media_unreachable", false],
    ["a redirect", () => new Response(null, { status: 302 }), "media_unreachable", false],
    ["503", () => new Response(null, { status: 503 }), "media_unreachable", true],
    ["more than 1 MB", () => new Response(SRT.padEnd(1_000_001)), "media_invalid", false],
    ["something else", () => new Response("<html>"), "media_invalid", false],
  ])("%s ends the post", async (_, answer, code, transient) => {
    const { result } = await prepare({ [GET]: [answer()] }, missing, change);
    expect(result).toMatchObject({ kind: "failed", failure: { code }, transient });
  });

  test("an address that may not be fetched any more ends the post before any call", async () => {
    const { fetch, calls } = scriptedFetch({});
    const publishJob = job(fetch, change);
    publishJob.post.settings.x_subtitles_url = "https://127.0.0.1/a.srt";
    expect(await x.prepare(publishJob, missing)).toMatchObject({
      kind: "failed",
      failure: { code: "media_unreachable" },
      transient: false,
    });
    expect(calls).toEqual([]);
  });

  test("exactly 1 MB is taken", async () => {
    const script = {
      [GET]: [new Response(SRT.padEnd(1_000_000))],
      [INITIALIZE]: [data({ id: ID })],
      [APPEND]: [data({})],
      [FINALIZE]: [data({ id: ID })],
    };
    expect((await prepare(script, missing, change)).result).toMatchObject({ kind: "next" });
  });

  test.each<[string, Record<string, Answer[]>]>([
    [INITIALIZE, { [INITIALIZE]: [problem(400, "No")] }],
    [APPEND, { [INITIALIZE]: [data({ id: ID })], [APPEND]: [problem(503, "No")] }],
    [
      FINALIZE,
      { [INITIALIZE]: [data({ id: ID })], [APPEND]: [data({})], [FINALIZE]: [problem(400, "No")] },
    ],
  ])("refused at %s they become a warning", async (_, script) => {
    const { result } = await prepare({ [GET]: [new Response(SRT)], ...script }, missing, change);
    expect(result).toEqual({
      kind: "next",
      bookmark: { ...BEGUN, warnings: ["The subtitles were not added: No"] },
    });
  });

  const uploaded = { ...BEGUN, mediaIds: ["5"], subtitles: { state: "uploaded", id: ID } };
  const ADD = "POST /2/media/subtitles";

  test("are added to a long video by what that went up as", async () => {
    const long = { ...uploaded, videoCategory: "amplify_video" };
    const { calls } = await prepare({ [ADD]: [data({})] }, long, change);
    expect(calls[0]?.json).toMatchObject({ media_category: "AmplifyVideo" });
  });

  test("are added to a video whose bookmark is of an earlier version", async () => {
    const { videoCategory: _, ...older } = uploaded;
    const { calls } = await prepare({ [ADD]: [data({})] }, older, change);
    expect(calls[0]?.json).toMatchObject({ media_category: "TweetVideo" });
  });

  test.each([
    [undefined, "EN", "English"],
    ["de", "DE", "German"],
  ])("language %s is added to the video", async (language, language_code, display_name) => {
    const settings = {
      x_subtitles_url: URL_OF_FILE,
      ...(language ? { x_subtitles_language: language } : {}),
    };
    const { result, calls } = await prepare({ [ADD]: [data({})] }, uploaded, {
      ...change,
      settings,
    });
    expect(calls[0]?.json).toEqual({
      id: "5",
      media_category: "TweetVideo",
      subtitles: { id: ID, language_code, display_name },
    });
    expect(result).toEqual({ kind: "next", bookmark: { ...BEGUN, mediaIds: ["5"] } });
  });

  test("not added they become a warning; a refused token does not", async () => {
    expect(await prepare({ [ADD]: [problem(400, "No")] }, uploaded, change)).toMatchObject({
      result: { kind: "next", bookmark: { subtitles: { state: "done" }, warnings: { length: 1 } } },
    });
    expect(await prepare({ [ADD]: [problem(401, "No")] }, uploaded, change)).toMatchObject({
      result: { kind: "token_expired" },
    });
  });
});
