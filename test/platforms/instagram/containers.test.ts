import { describe, expect, test } from "vitest";
import type { Bookmark, Prepared, VideoFacts } from "../../../src/platforms/connector.ts";
import { instagram } from "../../../src/platforms/instagram/index.ts";
import {
  FACTS,
  graphError,
  IG,
  image,
  job,
  json,
  later,
  NOW,
  type PostChange,
  READY,
  scriptedFetch,
  status,
  video,
} from "./scripted.ts";

const IN_PROGRESS = () => status("IN_PROGRESS");
const FINISHED = () => status("FINISHED");
const created = (id: number) => json({ id: String(id) });

const stored = (step: { bookmark: Bookmark }): Bookmark =>
  JSON.parse(JSON.stringify(step.bookmark));

/** Steps on while `next` comes. */
async function prepareAll(post: PostChange, ...answers: (Response | Error)[]) {
  const { fetch, calls } = scriptedFetch(...answers);
  let step: Prepared = await instagram.prepare(job(fetch, { post }), null);
  while (step.kind === "next") step = await instagram.prepare(job(fetch, { post }), stored(step));
  return {
    step,
    calls,
    forms: calls.filter(({ method }) => method === "POST").map(({ form }) => form),
  };
}

describe("one container", () => {
  test("an image: created, looked at, ready", async () => {
    const { step, calls } = await prepareAll({}, created(17), FINISHED());
    expect(step).toEqual({
      kind: "ready",
      bookmark: {
        stage: "container",
        containerId: "17",
        since: NOW.getTime(),
        readyAt: NOW.getTime(),
      },
    });
    expect(calls).toMatchObject([
      {
        method: "POST",
        path: `/v26.0/${IG}/media`,
        authorization: "Bearer access-token",
        redirect: "manual",
        form: { image_url: "https://akimbo.test/media/ab/original", caption: "A caption" },
      },
      { method: "GET", path: "/v26.0/17", query: { fields: "status_code,status" } },
    ]);
    expect(Object.keys(calls[0]?.form ?? {})).toEqual(["image_url", "caption"]);
  });

  test.each<[string, PostChange, Record<string, string>]>([
    [
      "a PNG as JPEG",
      { media: [image({ mime: "image/png" })], title: null },
      { image_url: "https://akimbo.test/media/ab/jpeg" },
    ],
    [
      "an image with everything",
      {
        settings: {
          collaborators: "a,b",
          user_tags: "c",
          location_id: "7",
          is_aigc: "true",
          cover_url: "https://a.com/b.jpg",
          thumb_offset: "5",
        },
      },
      {
        image_url: "https://akimbo.test/media/ab/original",
        caption: "A caption",
        location_id: "7",
        collaborators: '["a","b"]',
        is_ai_generated: "true",
        user_tags: '[{"username":"c","x":0.5,"y":0.5}]',
      },
    ],
    [
      "a reel as it is by default",
      { media: [video()], title: null, description: "Words" },
      {
        media_type: "REELS",
        share_to_feed: "true",
        video_url: "https://akimbo.test/media/cd/original",
        caption: "Words",
      },
    ],
    [
      "a trial reel with cover and tags",
      {
        media: [video()],
        title: null,
        settings: {
          trial_reel: "manual",
          cover_url: "https://a.com/b.jpg",
          thumb_offset: "5",
          share_to_feed: "0",
          audio_name: "Song",
          user_tags: "c",
        },
      },
      {
        media_type: "REELS",
        share_to_feed: "false",
        cover_url: "https://a.com/b.jpg",
        audio_name: "Song",
        trial_params: '{"graduation_strategy":"MANUAL"}',
        video_url: "https://akimbo.test/media/cd/original",
        user_tags: '[{"username":"c"}]',
      },
    ],
    [
      "a story, without its caption and label",
      { settings: { media_type: "STORIES", is_aigc: "true", user_tags: "c" } },
      {
        media_type: "STORIES",
        image_url: "https://akimbo.test/media/ab/original",
        user_tags: '[{"username":"c","x":0.5,"y":0.5}]',
      },
    ],
    [
      "a story of a video",
      { media: [video()], settings: { media_type: "STORIES" } },
      { media_type: "STORIES", video_url: "https://akimbo.test/media/cd/original" },
    ],
  ])("%s", async (_, post, form) => {
    const { forms } = await prepareAll(post, created(17), FINISHED());
    expect(forms).toEqual([form]);
  });

  test.each([
    ["an image", image(), 0, 3],
    ["an old image", image(), 100, 13],
    ["a video", video(), 0, 5],
    ["a video after a minute", video(), 60, 11],
    ["a video after an hour", video(), 3_600, 30],
  ])("%s in work is waited for with the bookmark as it was", async (_, item, age, seconds) => {
    const bookmark = { stage: "container", containerId: "17", since: NOW.getTime() };
    const { fetch } = scriptedFetch(IN_PROGRESS());
    const change = { post: { media: [item] }, now: later(age) };
    expect(await instagram.prepare(job(fetch, change), bookmark)).toEqual({
      kind: "waiting",
      bookmark,
      checkAfterSeconds: seconds,
    });
  });

  test.each<[string, Response, object]>([
    [
      "ERROR with a subcode",
      status("ERROR", "Error: Media upload has failed with error code 2207026"),
      { failure: { code: "media_invalid" }, transient: false },
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
    ["missing for a moment", graphError(24, 2207008), { transient: true }],
    ["a dead token", graphError(190, 463), { kind: "token_expired" }],
    ["a broken answer", new Response("", { status: 502 }), { transient: true }],
  ])("a container that is %s", async (_, answer, expected) => {
    const { step } = await prepareAll({}, created(17), answer);
    expect(step).toMatchObject(expected);
    if (!("restart" in expected)) expect(step).not.toHaveProperty("restart");
  });

  test("a container that is missing for long is made anew", async () => {
    const { fetch } = scriptedFetch(graphError(24, 2207008));
    const step = await instagram.prepare(job(fetch, { now: later(200) }), { ...READY });
    expect(step).toMatchObject({ kind: "failed", transient: true, restart: true });
  });
});

describe("videos are judged before anything is created", () => {
  test.each<[string, Partial<VideoFacts> | null, RegExp]>([
    ["unreadable", null, /cannot be read/],
    ["2 s long", { durationSeconds: 2 }, /lasts 2 s; Instagram takes 3 to 900 s/],
    ["16 minutes long", { durationSeconds: 960 }, /3 to 900 s/],
    ["of 15 frames a second", { framesPerSecond: 15 }, /15 frames a second/],
    ["of 120 frames a second", { framesPerSecond: 120 }, /23 to 60/],
    ["too wide", { width: 3_840 }, /3840 pixels wide/],
    ["a thin line", { width: 1_900, height: 100 }, /ratios from 0.01:1 to 10:1/],
    ["VP9", { videoCodec: "vp9" }, /H.264 and HEVC/],
    ["of a codec nobody knows", { videoCodec: null }, /another codec/],
  ])("one that is %s", async (_, change, message) => {
    const { fetch, calls } = scriptedFetch();
    const facts = change && { ...FACTS, ...change };
    const step = await instagram.prepare(job(fetch, { post: { media: [video()] }, facts }), null);
    expect(step).toEqual({
      kind: "failed",
      failure: { code: "media_invalid", message: expect.stringMatching(message) },
      transient: false,
    });
    expect(calls).toEqual([]);
  });

  test("a story has a minute", async () => {
    const post = { media: [video()], settings: { media_type: "STORIES" } };
    const facts = { ...FACTS, durationSeconds: 61 };
    const step = await instagram.prepare(job(scriptedFetch().fetch, { post, facts }), null);
    expect(step).toMatchObject({ failure: { message: expect.stringContaining("3 to 60 s") } });
  });

  test.each<Partial<VideoFacts>>([
    { framesPerSecond: 60.02 },
    { framesPerSecond: 23.976 },
    { videoCodec: "hevc", durationSeconds: 900, width: 1_920 },
    { durationSeconds: null, framesPerSecond: null, width: null, height: null },
  ])("takes %j", async (change) => {
    const { fetch } = scriptedFetch(created(17));
    const facts = { ...FACTS, ...change };
    const step = await instagram.prepare(job(fetch, { post: { media: [video()] }, facts }), null);
    expect(step.kind).toBe("next");
  });
});

describe("carousels", () => {
  const post = {
    media: [video(), image({ mime: "image/webp" }), image()],
    settings: { user_tags: "c" },
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
    expect(forms).toEqual([
      {
        is_carousel_item: "true",
        media_type: "VIDEO",
        video_url: "https://akimbo.test/media/cd/original",
      },
      {
        is_carousel_item: "true",
        image_url: "https://akimbo.test/media/ab/jpeg",
        user_tags: '[{"username":"c","x":0.5,"y":0.5}]',
      },
      { is_carousel_item: "true", image_url: "https://akimbo.test/media/ab/original" },
      { media_type: "CAROUSEL", children: "1,2,3", caption: "A caption" },
    ]);
    expect(calls.slice(3, 6).map(({ path }) => path)).toEqual(["/v26.0/1", "/v26.0/2", "/v26.0/3"]);
  });

  test("one of videos alone tags its first", async () => {
    const videos = { ...post, media: [video(), video()] };
    const { forms } = await prepareAll(videos, created(1), created(2), IN_PROGRESS());
    expect(forms[0]).toMatchObject({ user_tags: '[{"username":"c"}]' });
    expect(forms[1]).not.toHaveProperty("user_tags");
  });

  test.each([0, 1, 2])("a run killed after child %i goes on with the next", async (killedAfter) => {
    const ids = [1, 2, 3];
    let bookmark: Bookmark | null = null;
    for (let index = 0; index <= killedAfter; index++) {
      const step = await instagram.prepare(
        job(scriptedFetch(created(ids[index] ?? 0)).fetch, { post }),
        bookmark,
      );
      if (step.kind !== "next") throw new Error(step.kind);
      bookmark = stored(step);
    }
    expect(bookmark).toMatchObject({ children: ids.slice(0, killedAfter + 1).map(String) });
    const { fetch, calls } = scriptedFetch(
      ...ids.slice(killedAfter + 1).map(created),
      IN_PROGRESS(),
    );
    let step = await instagram.prepare(job(fetch, { post }), bookmark);
    while (step.kind === "next") step = await instagram.prepare(job(fetch, { post }), stored(step));
    expect(step).toMatchObject({
      kind: "waiting",
      bookmark: { children: ["1", "2", "3"], finished: 0 },
      checkAfterSeconds: 5,
    });
    expect(calls.filter(({ method }) => method === "POST")).toHaveLength(2 - killedAfter);
  });

  test("children that were seen to be finished are not looked at again", async () => {
    const bookmark = {
      stage: "children",
      children: ["1", "2", "3"],
      finished: 0,
      since: NOW.getTime(),
    };
    const first = scriptedFetch(FINISHED(), IN_PROGRESS());
    const waiting = await instagram.prepare(job(first.fetch, { post }), bookmark);
    expect(waiting).toEqual({
      kind: "waiting",
      bookmark: { ...bookmark, finished: 1 },
      checkAfterSeconds: 3,
    });
    const second = scriptedFetch(FINISHED(), FINISHED());
    const step = await instagram.prepare(job(second.fetch, { post }), { ...bookmark, finished: 1 });
    expect(step).toMatchObject({ kind: "next", bookmark: { finished: 3 } });
    expect(second.calls.map(({ path }) => path)).toEqual(["/v26.0/2", "/v26.0/3"]);
  });

  test("a child that fails ends the post", async () => {
    const answers = [created(1), created(2), created(3), FINISHED()];
    const error = status("ERROR", "Error: Media upload has failed with error code 2207009");
    const { step } = await prepareAll(post, ...answers, error);
    expect(step).toMatchObject({ kind: "failed", failure: { code: "media_invalid" } });
  });
});
