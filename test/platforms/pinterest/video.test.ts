import { describe, expect, test } from "vitest";
import type { Bookmark, VideoFacts } from "../../../src/platforms/connector.ts";
import { pinterest } from "../../../src/platforms/pinterest/index.ts";
import { uploadVideoRequest } from "../../../src/platforms/pinterest/upload-form.ts";
import {
  type Answer,
  error,
  FACTS,
  type JobChange,
  job,
  json,
  MEDIA_ID,
  NOW,
  scriptedFetch,
  UPLOAD_URL,
  video,
} from "./scripted.ts";

const PARAMETERS = { "x-amz-date": "20261201T090000Z", key: "uploads/1", policy: "e30=" };

const registered = (change: object = {}) =>
  json(
    {
      media_id: MEDIA_ID,
      media_type: "video",
      upload_url: UPLOAD_URL,
      upload_parameters: PARAMETERS,
      ...change,
    },
    201,
  );
const taken = () => new Response(null, { status: 204 });
const status = (name: string) => json({ media_id: MEDIA_ID, media_type: "video", status: name });

const CHECKED = { stage: "checked" };
const PROCESSING = { stage: "processing", mediaId: MEDIA_ID, since: NOW.getTime() };

async function prepare(
  bookmark: Bookmark | null,
  script: Record<string, Answer[]> = {},
  change: JobChange = {},
) {
  const { fetch, calls } = scriptedFetch(script);
  const publishJob = job(fetch, { media: [video()], ...change });
  return { result: await pinterest.prepare(publishJob, bookmark), calls };
}

describe("the video itself", () => {
  test("is judged before anything goes out", async () => {
    const { result, calls } = await prepare(null);
    expect(result).toEqual({ kind: "next", bookmark: CHECKED });
    expect(calls).toEqual([]);
  });

  test.each<[string, Partial<VideoFacts>]>([
    ["4 seconds", { durationSeconds: 4 }],
    ["15 minutes", { durationSeconds: 900 }],
    ["1:2", { width: 500, height: 1_000 }],
    ["1.91:1", { width: 1_910, height: 1_000 }],
    ["H.265 in MOV", { container: "mov", videoCodec: "hevc" }],
    ["what its header does not say", { durationSeconds: null, width: null, height: null }],
  ])("may have %s", async (_, facts) => {
    const { result } = await prepare(null, {}, { facts: { ...FACTS, ...facts } });
    expect(result.kind).toBe("next");
  });

  test.each<[string, Partial<VideoFacts> | null]>([
    ["not a readable video", null],
    ["webm", { container: "webm" }],
    ["vp9", { videoCodec: "vp9" }],
    ["something unknown", { videoCodec: null }],
    ["3.9 seconds", { durationSeconds: 3.9 }],
    ["900.1 seconds", { durationSeconds: 900.1 }],
    ["490 x 1000", { width: 490, height: 1_000 }],
    ["1920 x 1000", { width: 1_920, height: 1_000 }],
  ])("may not be %s", async (wording, facts) => {
    const { result } = await prepare(null, {}, { facts: facts && { ...FACTS, ...facts } });
    expect(result).toEqual({
      kind: "failed",
      failure: { code: "media_invalid", message: expect.stringContaining(wording) },
      transient: false,
    });
  });
});

describe("sending", () => {
  test("registers the video, then sends the fields as they came and the file last", async () => {
    const { result, calls } = await prepare(CHECKED, {
      "POST /media": [registered()],
      "POST /": [taken()],
    });
    expect(result).toEqual({ kind: "waiting", bookmark: PROCESSING, checkAfterSeconds: 5 });
    expect(calls[0]).toMatchObject({
      url: "https://api.pinterest.com/v5/media",
      headers: { authorization: "Bearer pina_1", "content-type": "application/json" },
      json: { media_type: "video" },
      redirect: "manual",
    });
    const [, form] = calls;
    expect(form).toMatchObject({ method: "POST", url: UPLOAD_URL, redirect: "manual" });
    expect(form?.headers).not.toHaveProperty("authorization");
    const boundary = /boundary=(akimbo-[0-9a-f]{32})$/.exec(
      form?.headers["content-type"] ?? "",
    )?.[1];
    expect(form?.text).toBe(
      [
        `--${boundary}`,
        'Content-Disposition: form-data; name="x-amz-date"',
        "",
        "20261201T090000Z",
        `--${boundary}`,
        'Content-Disposition: form-data; name="key"',
        "",
        "uploads/1",
        `--${boundary}`,
        'Content-Disposition: form-data; name="policy"',
        "",
        "e30=",
        `--${boundary}`,
        'Content-Disposition: form-data; name="file"; filename="video"',
        "Content-Type: video/mp4",
        "",
        "the video",
        `--${boundary}--`,
        "",
      ].join("\r\n"),
    );
  });

  test("a file of another length than it was said to have breaks the transfer", async () => {
    for (const sizeBytes of [8, 10]) {
      const data = new Blob(["the video"]).stream();
      const registration = { uploadUrl: UPLOAD_URL, fields: PARAMETERS };
      const request = uploadVideoRequest(registration, { data, sizeBytes, mime: "video/mp4" });
      await expect(request.arrayBuffer()).rejects.toThrow();
    }
  });

  test("a storage that is not read breaks off the file", async () => {
    let cancelled = false;
    const data = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(1_000)),
      cancel: () => {
        cancelled = true;
      },
    });
    const registration = { uploadUrl: UPLOAD_URL, fields: PARAMETERS };
    const mime = "video/mp4";
    const request = uploadVideoRequest(registration, { data, sizeBytes: 100_000, mime });
    const reader = request.body?.getReader();
    await reader?.read();
    await reader?.cancel("enough");
    await expect.poll(() => cancelled).toBe(true);
  });

  test.each<[string, object]>([
    ["an address without TLS", { upload_url: "http://storage.example/" }],
    ["no address", { upload_url: null }],
    ["a field name that breaks out", { upload_parameters: { 'a"\r\nx: y': "1" } }],
    ["an id that is a path", { media_id: "../pins" }],
  ])("%s is no registration", async (_, change) => {
    const { result, calls } = await prepare(CHECKED, { "POST /media": [registered(change)] });
    expect(result).toMatchObject({
      failure: { code: "platform_unavailable" },
      transient: true,
    });
    expect(calls).toHaveLength(1);
  });

  test("a refused registration is told, a refused token renewed", async () => {
    const refused = await prepare(CHECKED, { "POST /media": [error(403, 29)] });
    expect(refused.result).toMatchObject({ failure: { code: "account_disconnected" } });
    const expired = await prepare(CHECKED, { "POST /media": [error(401, 2)] });
    expect(expired.result).toEqual({ kind: "token_expired" });
  });

  test("the storage's refusal is no refusal of the token, and the next try registers anew", async () => {
    const { result } = await prepare(CHECKED, {
      "POST /media": [registered()],
      "POST /": [new Response("<Error><Code>AccessDenied</Code></Error>", { status: 401 })],
    });
    expect(result).toMatchObject({ failure: { code: "platform_unavailable" }, transient: true });
    expect(result).not.toHaveProperty("restart");
  });

  test("a broken line is the runner's to judge", async () => {
    const script = { "POST /media": [registered()], "POST /": [new TypeError("lost")] };
    await expect(prepare(CHECKED, script)).rejects.toThrow("lost");
  });
});

describe("waiting", () => {
  const look = (answer: Answer, seconds = 5) =>
    prepare(
      PROCESSING,
      { [`GET /media/${MEDIA_ID}`]: [answer] },
      { now: new Date(NOW.getTime() + seconds * 1_000) },
    );

  test.each([
    ["registered", 5, 10],
    ["processing", 59, 10],
    ["processing", 60, 20],
    ["something new", 600, 20],
  ])("%s after %i s is looked at again in %i", async (name, waited, checkAfterSeconds) => {
    const { result } = await look(status(name), waited);
    expect(result).toEqual({ kind: "waiting", bookmark: PROCESSING, checkAfterSeconds });
  });

  test("succeeded leaves only the pin to make", async () => {
    const { result, calls } = await look(status("succeeded"));
    expect(result).toEqual({
      kind: "ready",
      bookmark: { stage: "ready", mediaId: MEDIA_ID, readyAt: NOW.getTime() + 5_000 },
    });
    expect(calls[0]?.headers.authorization).toBe("Bearer pina_1");
  });

  test.each<[string, Answer, object]>([
    ["failed", status("failed"), { failure: { code: "media_invalid" }, transient: false }],
    ["an outage", error(503), { failure: { code: "platform_unavailable" }, transient: true }],
    ["a refused token", error(401, 2), { kind: "token_expired" }],
    ["an unknown id", error(404, 2355), { failure: { code: "unknown" }, transient: false }],
  ])("%s", async (_, answer, expected) => {
    expect((await look(answer)).result).toMatchObject(expected);
  });
});
