import { describe, expect, test } from "vitest";
import type { Bookmark, Prepared, VideoFacts } from "../../../src/platforms/connector.ts";
import { threads } from "../../../src/platforms/threads/index.ts";
import {
  FACTS,
  graphError,
  image,
  job,
  json,
  later,
  NOW,
  type PostChange,
  READY,
  scriptedFetch,
  status,
  USER,
  video,
} from "./scripted.ts";

const IN_PROGRESS = () => status("IN_PROGRESS");
const FINISHED = () => status("FINISHED");
const created = (id: number) => json({ id: String(id) });

const stored = (step: { bookmark: Bookmark }): Bookmark =>
  JSON.parse(JSON.stringify(step.bookmark));

const goesOn = (step: Prepared) => step.kind === "next" || step.kind === "waiting";

/** Steps on until the container is ready or refused. */
async function prepareAll(post: PostChange, ...answers: (Response | Error)[]) {
  const { fetch, calls } = scriptedFetch(...answers);
  let step: Prepared = await threads.prepare(job(fetch, { post }), null);
  while (goesOn(step) && "bookmark" in step) {
    step = await threads.prepare(job(fetch, { post }), stored(step));
  }
  return {
    step,
    calls,
    forms: calls.filter(({ method }) => method === "POST").map(({ form }) => form),
  };
}

describe("one container", () => {
  test("a text: created, left alone for a moment, looked at, ready", async () => {
    const first = scriptedFetch(created(17));
    const waiting = await threads.prepare(job(first.fetch), null);
    const bookmark = { stage: "container", containerId: "17", since: NOW.getTime() };
    expect(waiting).toEqual({ kind: "waiting", bookmark, checkAfterSeconds: 2 });
    expect(first.calls).toMatchObject([
      {
        method: "POST",
        url: `https://graph.threads.net/v1.0/${USER}/threads`,
        authorization: "Bearer access-token",
        redirect: "manual",
      },
    ]);
    expect(first.calls[0]?.form).toEqual({ media_type: "TEXT", text: "A thought" });

    const second = scriptedFetch(FINISHED());
    expect(await threads.prepare(job(second.fetch, { now: later(2) }), bookmark)).toEqual({
      kind: "ready",
      bookmark: { ...bookmark, readyAt: later(2).getTime() },
    });
    expect(second.calls).toMatchObject([
      { method: "GET", path: "/v1.0/17", query: { fields: "status,error_message" } },
    ]);
  });

  test.each<[string, PostChange, Record<string, string>]>([
    [
      "a text with those who may reply",
      { title: null, description: "Words", settings: { threads_reply_control: "mentioned_only" } },
      { media_type: "TEXT", text: "Words", reply_control: "mentioned_only" },
    ],
    [
      "an image with everything",
      {
        media: [image()],
        settings: { threads_alt_text: "A square", threads_reply_control: "followers_only" },
      },
      {
        media_type: "IMAGE",
        image_url: "https://akimbo.test/media/ab/original",
        alt_text: "A square",
        text: "A thought",
        reply_control: "followers_only",
      },
    ],
    [
      "a PNG as it is",
      { media: [image({ mime: "image/png" })] },
      {
        media_type: "IMAGE",
        image_url: "https://akimbo.test/media/ab/original",
        text: "A thought",
      },
    ],
    [
      "a WebP as JPEG",
      { media: [image({ mime: "image/webp" })] },
      { media_type: "IMAGE", image_url: "https://akimbo.test/media/ab/jpeg", text: "A thought" },
    ],
    [
      "a video",
      { media: [video()], settings: { threads_alt_text: "It moves" } },
      {
        media_type: "VIDEO",
        video_url: "https://akimbo.test/media/cd/original",
        alt_text: "It moves",
        text: "A thought",
      },
    ],
  ])("%s", async (_, post, form) => {
    const { step, forms } = await prepareAll(post, created(17), FINISHED());
    expect(forms).toEqual([form]);
    expect(step.kind).toBe("ready");
  });

  test.each([
    ["an image", image(), 0, 3],
    ["a video", video(), 0, 5],
    ["a video after an hour", video(), 3_600, 30],
  ])("%s in work is waited for with the bookmark as it was", async (_, item, age, seconds) => {
    const bookmark = { stage: "container", containerId: "17", since: NOW.getTime() };
    const { fetch } = scriptedFetch(IN_PROGRESS());
    const change = { post: { media: [item] }, now: later(age) };
    expect(await threads.prepare(job(fetch, change), bookmark)).toEqual({
      kind: "waiting",
      bookmark,
      checkAfterSeconds: seconds,
    });
  });

  test.each<[string, Response, object]>([
    [
      "ERROR with a reason",
      status("ERROR", "INVALID_DURATION"),
      { failure: { code: "media_invalid" }, transient: false },
    ],
    [
      "ERROR without a reason that it knows",
      status("ERROR", "UNKNOWN"),
      { failure: { code: "unknown" }, transient: true, restart: true },
    ],
    [
      "EXPIRED",
      status("EXPIRED"),
      { failure: { code: "platform_unavailable" }, transient: true, restart: true },
    ],
    [
      "PUBLISHED",
      status("PUBLISHED"),
      { failure: { code: "platform_processing_timeout" }, transient: false },
    ],
    ["missing for a moment", graphError(24, 4279009), { transient: true }],
    ["gone", graphError(100, 33), { failure: { code: "unknown" }, transient: false }],
    ["behind a dead token", graphError(190, 463), { kind: "token_expired" }],
    ["a broken answer", new Response("", { status: 502 }), { transient: true }],
    ["of a state that nobody knows", status("MOVED"), { transient: true }],
  ])("a container that is %s", async (_, answer, expected) => {
    const { step } = await prepareAll({}, created(17), answer);
    expect(step).toMatchObject(expected);
    if (!("restart" in expected)) expect(step).not.toHaveProperty("restart");
  });

  test.each([
    ["was never ready is made anew", { ...READY, readyAt: undefined }, true],
    ["may have been published is not", READY, undefined],
  ])("a container that is missing for long and %s", async (_, bookmark, restart) => {
    const { fetch } = scriptedFetch(graphError(24, 4279009));
    const step = await threads.prepare(job(fetch, { now: later(200) }), bookmark);
    expect(step).toMatchObject({ kind: "failed", transient: true });
    expect(step.kind === "failed" && step.restart).toBe(restart);
  });

  test("a refused creation is a refused post", async () => {
    const { step } = await prepareAll({ media: [image()] }, graphError(9004, 2207052));
    expect(step).toMatchObject({ failure: { code: "media_unreachable" }, transient: false });
  });
});

describe("videos are judged before anything is created", () => {
  test.each<[string, Partial<VideoFacts> | null, RegExp]>([
    ["unreadable", null, /cannot be read/],
    ["too long", { durationSeconds: 301 }, /lasts 301 s; Threads takes up to 300 s/],
    [
      "of 15 frames a second",
      { framesPerSecond: 15 },
      /15 frames a second; Threads takes 23 to 60/,
    ],
    ["of 120 frames a second", { framesPerSecond: 120 }, /23 to 60/],
    ["too wide", { width: 1_921 }, /1921 pixels wide; Threads takes up to 1920/],
    ["a flat line", { width: 1_900, height: 100 }, /ratios from 0.01:1 to 10:1/],
    ["an upright line", { width: 10, height: 1_900 }, /ratios from 0.01:1 to 10:1/],
    ["VP9", { videoCodec: "vp9" }, /H.264 and HEVC; the video has vp9/],
  ])("one that is %s", async (_, change, message) => {
    const { fetch, calls } = scriptedFetch();
    const facts = change && { ...FACTS, ...change };
    const step = await threads.prepare(job(fetch, { post: { media: [video()] }, facts }), null);
    expect(step).toEqual({
      kind: "failed",
      failure: { code: "media_invalid", message: expect.stringMatching(message) },
      transient: false,
    });
    expect(calls).toEqual([]);
  });

  test("one that is too large", async () => {
    const media = [video({ sizeBytes: 1_000_000_001 })];
    const step = await threads.prepare(job(scriptedFetch().fetch, { post: { media } }), null);
    expect(step).toMatchObject({ failure: { message: expect.stringMatching(/1000000001 bytes/) } });
  });

  test.each<Partial<VideoFacts>>([
    { durationSeconds: 0.5 },
    { durationSeconds: 300, width: 1_920, videoCodec: "hevc" },
    { framesPerSecond: 23.976 },
    { durationSeconds: null, framesPerSecond: null, width: null, height: null },
  ])("takes %j", async (change) => {
    const facts = { ...FACTS, ...change };
    const { fetch } = scriptedFetch(created(17));
    const step = await threads.prepare(job(fetch, { post: { media: [video()] }, facts }), null);
    expect(step.kind).toBe("waiting");
  });
});

describe("carousels", () => {
  const post = {
    media: [video(), image({ mime: "image/gif" }), image()],
    settings: { threads_alt_text: "Alt", threads_reply_control: "accounts_you_follow" },
  };

  test("children one by one, all waited for, then the parent", async () => {
    const { step, forms, calls } = await prepareAll(
      post,
      created(1),
      created(2),
      created(3),
      FINISHED(),
      FINISHED(),
      FINISHED(),
      created(9),
      FINISHED(),
    );
    expect(step).toMatchObject({ kind: "ready", bookmark: { containerId: "9" } });
    const child = { is_carousel_item: "true", alt_text: "Alt" };
    expect(forms).toEqual([
      { ...child, media_type: "VIDEO", video_url: "https://akimbo.test/media/cd/original" },
      { ...child, media_type: "IMAGE", image_url: "https://akimbo.test/media/ab/jpeg" },
      { ...child, media_type: "IMAGE", image_url: "https://akimbo.test/media/ab/original" },
      {
        media_type: "CAROUSEL",
        children: "1,2,3",
        text: "A thought",
        reply_control: "accounts_you_follow",
      },
    ]);
    expect(calls.slice(3, 6).map(({ path }) => path)).toEqual(["/v1.0/1", "/v1.0/2", "/v1.0/3"]);
  });

  test.each([0, 1, 2])("a run killed after child %i goes on with the next", async (killedAfter) => {
    const ids = [1, 2, 3];
    let bookmark: Bookmark | null = null;
    for (const id of ids.slice(0, killedAfter + 1)) {
      const { fetch } = scriptedFetch(created(id));
      const step: Prepared = await threads.prepare(job(fetch, { post }), bookmark);
      if (step.kind !== "next") throw new Error(step.kind);
      bookmark = stored(step);
    }
    const rest = scriptedFetch(...ids.slice(killedAfter + 1).map(created), IN_PROGRESS());
    let step = await threads.prepare(job(rest.fetch, { post }), bookmark);
    while (step.kind === "next") {
      step = await threads.prepare(job(rest.fetch, { post }), stored(step));
    }
    expect(step).toMatchObject({
      kind: "waiting",
      bookmark: { children: ["1", "2", "3"], finished: 0 },
    });
    expect(rest.calls.filter(({ method }) => method === "POST")).toHaveLength(2 - killedAfter);
  });

  test("one of 20 makes 20 children", async () => {
    const media = Array.from({ length: 20 }, () => image());
    const ids = media.map((_, index) => index + 1);
    const { forms } = await prepareAll(
      { media },
      ...ids.map(created),
      ...ids.map(FINISHED),
      created(99),
      FINISHED(),
    );
    expect(forms).toHaveLength(21);
    expect(forms.at(-1)).toMatchObject({ children: ids.join(",") });
  });

  test("20 children are looked at over several steps", async () => {
    const media = Array.from({ length: 20 }, () => image());
    const children = media.map((_, index) => String(index + 1));
    const bookmark = { stage: "children", children, finished: 0, since: NOW.getTime() };
    const { fetch, calls } = scriptedFetch(...media.map(FINISHED));
    const step = await threads.prepare(job(fetch, { post: { media } }), bookmark);
    expect(step).toEqual({ kind: "next", bookmark: { ...bookmark, finished: 8 } });
    expect(calls).toHaveLength(8);
  });

  test("a child that fails ends the post", async () => {
    const answers = [created(1), created(2), created(3), FINISHED()];
    const { step } = await prepareAll(post, ...answers, status("ERROR", "FAILED_PROCESSING_VIDEO"));
    expect(step).toMatchObject({ kind: "failed", failure: { code: "media_invalid" } });
  });

  test("a video further back is judged before its own container is made", async () => {
    const { fetch, calls } = scriptedFetch();
    const bookmark = { stage: "children", children: ["1"], finished: 0, since: NOW.getTime() };
    const change = { post: { media: [image(), video()] }, facts: null };
    expect(await threads.prepare(job(fetch, change), bookmark)).toMatchObject({
      failure: { code: "media_invalid" },
    });
    expect(calls).toEqual([]);
  });
});
