import { describe, expect, test } from "vitest";
import { youtube } from "../../../src/platforms/youtube/index.ts";
import {
  type Answer,
  error,
  image,
  type JobChange,
  job,
  NOW,
  STATUS,
  scriptedFetch,
  THUMBNAIL,
} from "./scripted.ts";

const AT = NOW.getTime();
const PROCESSING = {
  stage: "processing",
  videoId: "vid-1",
  since: AT,
  privacyStatus: "public",
  thumbnailTries: 0,
  warnings: [],
};

const status = (fields: object) => Response.json({ items: [{ id: "vid-1", status: fields }] });
const processed = (privacyStatus = "public") =>
  status({ uploadStatus: "processed", privacyStatus });
const uploaded = () => status({ uploadStatus: "uploaded", privacyStatus: "public" });
const later = (seconds: number) => new Date(AT + seconds * 1_000);

const PUBLISHED = {
  kind: "published",
  platformPostId: "vid-1",
  shareUrl: "https://www.youtube.com/watch?v=vid-1",
};

async function settle(
  script: Record<string, Answer[]>,
  change: JobChange = {},
  bookmark: object = {},
) {
  const { fetch, calls } = scriptedFetch(script);
  const at = { ...PROCESSING, ...bookmark };
  const result = await youtube.settle?.(job(fetch, change), at);
  return { result, calls };
}

describe("the look at a video", () => {
  test("that is processed publishes it", async () => {
    const { result, calls } = await settle({ [STATUS]: [processed()] });
    expect(result).toEqual(PUBLISHED);
    expect(calls).toMatchObject([
      {
        method: "GET",
        url: "https://www.googleapis.com/youtube/v3/videos?part=status&id=vid-1",
        headers: { authorization: "Bearer at.1" },
      },
    ]);
  });

  test.each([
    [0, 5],
    [5, 30],
    [59, 30],
    [60, 60],
    [600, 60],
  ])("that is in work for %i seconds is repeated after %i", async (seconds, checkAfterSeconds) => {
    const { result } = await settle({ [STATUS]: [uploaded()] }, { now: later(seconds) });
    expect(result).toEqual({ kind: "waiting", bookmark: PROCESSING, checkAfterSeconds });
  });

  test("that is in work for over 10 minutes publishes it, because it has its address", async () => {
    const { result } = await settle({ [STATUS]: [uploaded()] }, { now: later(601) });
    expect(result).toEqual({
      ...PUBLISHED,
      warnings: ["YouTube is still processing the video."],
    });
  });

  test("that YouTube never shows is repeated, and does not publish it in the end", async () => {
    const script = () => ({ [STATUS]: [Response.json({ items: [] })] });
    expect((await settle(script())).result).toMatchObject({ kind: "waiting" });
    expect((await settle(script(), { now: later(601) })).result).toMatchObject({
      kind: "failed",
      failure: { code: "platform_processing_timeout" },
      transient: false,
    });
  });

  test.each<[string, Answer]>([
    ["is not told of", error(403, "quotaExceeded")],
    ["gets no answer", new Error("Timeout")],
    ["gets an answer that cannot be read", new Response("<html>")],
  ])("that %s is repeated, and no reason to fail", async (_, answer) => {
    const script = () => ({ [STATUS]: [answer instanceof Response ? answer.clone() : answer] });
    expect((await settle(script())).result).toMatchObject({ kind: "waiting" });
    const { result } = await settle(script(), { now: later(601) });
    expect(result).toMatchObject(PUBLISHED);
  });

  test("with a refused token asks for another", async () => {
    const { result } = await settle({ [STATUS]: [error(401, "authError")] });
    expect(result).toEqual({ kind: "token_expired" });
  });

  test.each([
    [{ uploadStatus: "failed", failureReason: "codec" }, "media_invalid", "codec"],
    [{ uploadStatus: "rejected", rejectionReason: "copyright" }, "content_flagged", "copyright"],
    [{ uploadStatus: "deleted" }, "unknown", "deleted"],
  ])("that came to nothing: %j", async (fields, code, wording) => {
    const { result } = await settle({ [STATUS]: [status(fields)] });
    expect(result).toMatchObject({
      kind: "failed",
      failure: { code, message: expect.stringContaining(wording) },
      transient: false,
    });
  });
});

describe("what is told beside", () => {
  test("keeps the warnings of the opening", async () => {
    const { result } = await settle({ [STATUS]: [processed()] }, {}, { warnings: ["No tags."] });
    expect(result).toEqual({ ...PUBLISHED, warnings: ["No tags."] });
  });

  test("a privacy that is another than the asked one", async () => {
    const { result } = await settle({ [STATUS]: [processed("private")] });
    expect(result).toEqual({
      ...PUBLISHED,
      warnings: [
        expect.stringMatching(
          /^YouTube made the video private in place of public\. Settings of the channel .* YouTube Studio\.$/,
        ),
      ],
    });
  });

  test.each([
    ["private", "unlisted", 1, true],
    ["unlisted", "unlisted", 0, false],
    ["public", "unlisted", 1, false],
    ["new_kind", "public", 1, false],
  ])("a video that is %s, for which %s was asked", async (privacy, privacyStatus, count, why) => {
    const { result } = await settle(
      { [STATUS]: [processed(privacy)] },
      { settings: { privacyStatus } },
    );
    const warnings = result?.kind === "published" ? (result.warnings ?? []) : [];
    expect(warnings).toHaveLength(count);
    expect(warnings.join().includes("YouTube Studio")).toBe(why);
  });

  test.each([
    ["private", "2026-12-02T09:00:00Z", 0],
    ["public", "2026-12-02T09:00:00Z", 1],
    ["public", "2026-12-01T08:00:00Z", 0],
  ])("a scheduled video that is %s (date %s): %i warnings", async (privacy, date, count) => {
    const change = { settings: { scheduledDate: date } };
    const { result } = await settle({ [STATUS]: [processed(privacy)] }, change);
    const warnings = result?.kind === "published" ? (result.warnings ?? []) : null;
    expect(warnings).toHaveLength(count);
  });
});

describe("a thumbnail", () => {
  const thumbnail = image({ mime: "image/png", sizeBytes: 300 });
  const set = (answer: Answer, bookmark: object = {}) =>
    settle({ [STATUS]: [processed()], [THUMBNAIL]: [answer] }, { thumbnail }, bookmark);

  test("is set once the video is processed", async () => {
    const { result, calls } = await set(Response.json({ items: [] }));
    expect(result).toEqual(PUBLISHED);
    expect(calls[1]).toMatchObject({
      url: "https://www.googleapis.com/upload/youtube/v3/thumbnails/set?videoId=vid-1&uploadType=media",
      headers: {
        authorization: "Bearer at.1",
        "content-type": "image/png",
      },
      bytes: 300,
      redirect: "manual",
    });
  });

  test("waits for the processing, but not longer than we do", async () => {
    const waiting = await settle({ [STATUS]: [uploaded()] }, { thumbnail });
    expect(waiting.result).toMatchObject({ kind: "waiting" });
    const script = { [STATUS]: [uploaded()], [THUMBNAIL]: [Response.json({})] };
    const { result, calls } = await settle(script, { thumbnail, now: later(601) });
    expect(result).toMatchObject(PUBLISHED);
    expect(calls).toHaveLength(2);
  });

  test.each<[string, Answer]>([
    ["forbidden", error(403, "forbidden")],
    ["an invalid image", error(400, "invalidImage")],
    ["no body", error(400, "mediaBodyRequired")],
    ["too many for today", error(403, "quotaExceeded")],
  ])("that is refused (%s) is a warning", async (_, answer) => {
    const { result } = await set(answer);
    expect(result).toEqual({
      ...PUBLISHED,
      warnings: ["The thumbnail was not set: In its words"],
    });
  });

  test.each<[string, Answer]>([
    ["503", error(503, "backendError")],
    ["uploadRateLimitExceeded", error(429, "uploadRateLimitExceeded")],
    ["no answer", new Error("In its words")],
  ])("that meets %s is sent three times, then is a warning", async (_, answer) => {
    const again = () => (answer instanceof Response ? answer.clone() : answer);
    expect((await set(again())).result).toEqual({
      kind: "waiting",
      bookmark: { ...PROCESSING, thumbnailTries: 1 },
      checkAfterSeconds: 30,
    });
    expect((await set(again(), { thumbnailTries: 2 })).result).toEqual({
      ...PUBLISHED,
      warnings: ["The thumbnail was not set: In its words"],
    });
  });

  test("with a refused token asks for another", async () => {
    expect((await set(error(401, "authError"))).result).toEqual({ kind: "token_expired" });
  });
});
